// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes the decoding of event records: whatever the ring gives is either refused or becomes one
 * JSON line and one text line without a control character. libFuzzer; built by the Makefile.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/event/describe.h"
#include "lib/event/table.h"

static void describe(const void *record, size_t size, enum zcq_out_style style)
{
	struct zcq_names *names = zcq_names_new_fixed(0, 4026531840U);
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	struct zcq_out *out = zcq_out_new(f, style, NULL, false);

	if (zcq_event_describe(out, names, record, size) || zcq_out_flush(out))
		abort();
	zcq_out_free(out);
	zcq_names_free(names);
	fclose(f);
	for (size_t i = 0; i + 1 < len; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			abort();
	if (!len || text[len - 1] != '\n')
		abort();
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Records come aligned from the ring. */
	void *record = malloc(size ? size : 1);

	memcpy(record, data, size);
	/* Half of all inputs get the right length, or hardly any would pass the check. */
	if (size >= sizeof(struct zcq_hdr) && data[size - 1] & 1) {
		((struct zcq_hdr *)record)->version = ZCQ_EVENT_VERSION;
		((struct zcq_hdr *)record)->size = (uint32_t)size;
	}
	if (!zcq_event_check(record, size)) {
		describe(record, size, ZCQ_OUT_JSON);
		describe(record, size, ZCQ_OUT_TERSE);
	}
	free(record);
	return 0;
}

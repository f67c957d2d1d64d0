// What decoder.go calls. See decode.c.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct libdeflate_decompressor;

// What decode_inflate says.
enum { DECODED, DECODED_DAMAGED, DECODED_LONGER };

extern const bool decode_big_endian; // whether the machine is

int  decode_load(void);
struct libdeflate_decompressor *decode_new(void);
void decode_free(struct libdeflate_decompressor *d);
int  decode_inflate(struct libdeflate_decompressor *d, const uint8_t *in, size_t n, uint8_t *out, size_t need, size_t room);
void decode_pick(void *out, const void *in, size_t n, size_t stride, int bits);
void decode_swap(void *p, size_t n, int bits);
void decode_horizontal(void *p, size_t width, size_t rows, size_t stride, int bits);
void decode_floating(uint8_t *p, uint8_t *row, size_t n, size_t rows, size_t stride, int bits);

// Package tiff reads the blocks of TIFF files without GDAL: it parses the first directory and
// inflates blocks with libdeflate. Package raster reads with it what it can. Alone, it shows the
// speed that inflating allows.
//
//	f, err := tiff.Open(path)
//	d, err := tiff.NewDecoder() // one for each goroutine
//	block := make([]byte, f.BlockBytes())
//	for i := range f.Blocks() {
//		err := d.Read(f, i, block)
//	}
//
// It knows classic TIFF and BigTIFF of both byte orders, tiles and strips, samples of 8, 16, 32 and
// 64 bits, deflate and no compression, and the predictors 1, 2 and 3. [Layout.Supported] says why a
// file is none of that. Masks, overviews, nodata and georeferencing are left to GDAL.
//
// # Why a reader of our own
//
// What is to be shown is how near reading comes to the speed of inflating, with one block for each
// worker in memory. golang.org/x/image/tiff decodes a picture as a whole, and neither floats nor
// BigTIFF. GDAL reads all there is, and by blocks, but is not as fast (BenchmarkBlocks sets
// both side by side), and libtiff takes some damaged blocks for whole. So GDAL says what
// a file is, reads what this package does not know, and is what it is tested against.
//
// # libdeflate
//
// The library is loaded when it is first used (dlopen), so that a program builds and starts without
// it. libtiff brings it on Debian. Its interface has been the same since version 1.0
// (libdeflate.so.0).
//
// # Damage
//
// Each deflated block ends with a checksum (Adler-32, RFC 1950), which is compared: no changed byte
// is taken for data. libtiff 4.5 with libdeflate takes about half of such blocks for whole (27 of
// 60 tried); package raster's documentation says why. A block that inflates to more than belongs
// there is read if its checksum is right.
//
// Sources: TIFF Revision 6.0 (Adobe, 1992); BigTIFF (http://bigtiff.org/); TIFF Technical Note 3,
// for predictor 3 (Adobe, 2005).
package tiff

"""Makes every kind of raster in a folder, with truth.json. See scripts/fixtures."""

import hashlib
import json
import os
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
from osgeo import gdal

from fixtures_damaged import damaged
from fixtures_tiff import COMPRESSION, EXTRA_SAMPLES, Tiff
from fixtures_truth import agree, by_gdal, described, of_bands, statistics
from fixtures_write import heights, ramp, strips, tiff, tiles

DEFLATE = "COMPRESS=DEFLATE"
GREY, ALPHA = gdal.GCI_GrayIndex, gdal.GCI_AlphaBand
RGB = (gdal.GCI_RedBand, gdal.GCI_GreenBand, gdal.GCI_BlueBand)


def layers(values, out):
    """Bands, and where pixels are left out of each, as lists."""
    bands = [values] if isinstance(values, np.ndarray) and values.ndim == 2 else list(values)
    if out is None:
        out = False
    outs = list(out) if np.ndim(out) == 3 else [np.broadcast_to(out, bands[0].shape)] * len(bands)
    return bands, outs


class Folder:
    """The folder that the fixtures go to, and the rows of truth."""

    def __init__(self, to):
        self.to, self.rows = to, []

    def keep(self, file, what, values, out=None, *, masked=False, needs=None, overviews=(), within=0):
        """Adds a row for a file that is there, whose right values are known.

        out: true where a pixel is to be left out. masked: that is by a mask,
        not by its value. needs: a codec, driver or type that not every GDAL
        has. overviews: values and out of each reduced size. within: how far
        another decoder's pixels may be off."""
        bands, outs = layers(values, out)
        path = file if file.startswith("/") else str(self.to / file)
        if file.startswith("/vsizip/"):
            path = "/vsizip/" + str(self.to / file.removeprefix("/vsizip/"))
        agree(path, bands, outs)
        row = {"file": file, "what": what} | described(path)
        if needs:
            row["needs"] = needs
        if within:
            row["within"] = within
        if len(bands) > 1:
            row["all"] = statistics(bands, outs, masked)
        for level, (small, left) in enumerate(overviews):
            few, lefts = layers(small, left)
            agree(path, few, lefts, level)
            row.setdefault("overviews", []).append({"width": small.shape[-1], "height": small.shape[-2]} | statistics(few, lefts, masked))
        row["bands"] = of_bands(path, bands, outs, masked)
        self.rows.append(row)

    def make(self, file, what, values, *options, out=None, masked=False, needs=None, within=0, **about):
        """Writes a TIFF and adds its row."""
        values = values if values.ndim == 3 else values[None]
        tiff(self.to / file, values, *options, **about)
        if within:  # a codec that loses: what was decoded is the truth, if it is near
            got = np.stack(by_gdal(str(self.to / file))[0])
            assert abs(got.astype(int) - values.astype(int)).mean() < 8, file
            values = got
        self.keep(file, what, values, out, masked=masked or about.get("mask") is not None, needs=needs, within=within)

    def fails(self, file, what, when, **where):
        """Adds a row for a file that cannot be read."""
        self.rows.append({"file": file, "what": what, "fails": when} | where)

    def write_truth(self):
        """One line a band, for the eyes of whoever compares two versions."""
        text = []
        for row in self.rows:
            bands = row.pop("bands", None)
            line = json.dumps(row, ensure_ascii=False, allow_nan=False)
            if bands:
                each = ",\n    ".join(json.dumps(b, allow_nan=False) for b in bands)
                line = line[:-1] + ', "bands": [\n    ' + each + "]}"
            text.append("  " + line)
        (self.to / "truth.json").write_text("[\n" + ",\n".join(text) + "\n]\n", "utf-8")


def layouts(f):
    """How blocks lie in the file."""
    b = ramp(70, 50).astype(np.uint8)
    u = (ramp(70, 50, 60013) * 13).astype(np.uint16)
    f.make("strips-1.tif", "strips of one row", b, DEFLATE, *strips(1))
    f.make("strips-16.tif", "strips of 16 rows, the last one of 2", b, DEFLATE, *strips(16))
    f.make("strip-single.tif", "one strip", b, DEFLATE, *strips(50))
    f.make("tiles-16.tif", "tiles of 16 x 16, edges not filled", b, DEFLATE, *tiles(16))
    f.make("tiles-32x64.tif", "tiles higher than wide", b, DEFLATE, *tiles(32, 64))
    f.make("tiles-64x16.tif", "tiles wider than high", b, DEFLATE, *tiles(64, 16))
    f.make("tiles-filled.tif", "tiles that fill the raster exactly", ramp(64, 48).astype(np.uint8), DEFLATE, *tiles(16))
    f.make("tile-larger.tif", "one tile, larger than the raster", b, DEFLATE, *tiles(128))
    f.make("1x1.tif", "one pixel", np.full((1, 1), 7, np.uint8))
    f.make("1x300.tif", "one column", ramp(1, 300).astype(np.uint8), DEFLATE)
    f.make("300x1.tif", "one row", ramp(300, 1).astype(np.uint8), DEFLATE)
    f.make("1x300-tiles.tif", "one column in tiles", ramp(1, 300).astype(np.uint8), DEFLATE, *tiles(16))
    f.make("constant.tif", "all pixels equal", np.full((50, 70), 42, np.uint8), DEFLATE, *tiles(32))
    f.make("bigtiff.tif", "BigTIFF", u, DEFLATE, "BIGTIFF=YES", *tiles(32))
    f.make("big-endian.tif", "big-endian", u, DEFLATE, "ENDIANNESS=BIG", *tiles(32))
    f.make("bigtiff-big-endian.tif", "BigTIFF, big-endian", u, DEFLATE, "BIGTIFF=YES", "ENDIANNESS=BIG", *tiles(32))
    f.make("big-endian-none.tif", "big-endian float64, not compressed", heights(24, 20, step=0).astype(np.float64), "ENDIANNESS=BIG", *tiles(16))
    f.make("no-georeferencing.tif", "no georeferencing", b, DEFLATE, georeferenced=False)


def types(f):
    """Every pixel type, with its extremes in the corners."""
    base = ramp(40, 30, 60013)

    def whole(dtype):
        limits = np.iinfo(dtype)
        span = int(limits.max) - int(limits.min)
        a = np.array([[int(limits.min) + int(v) * (span // 60013) for v in row] for row in base], dtype=dtype)
        a[0, 0], a[-1, -1] = limits.min, limits.max
        return a

    for dtype in "uint8", "int8", "uint16", "int16", "uint32", "int32", "int64", "uint64":
        if dtype in ("uint8", "int8"):
            a = (ramp(40, 30, 256) + np.iinfo(dtype).min).astype(dtype)
            a[0, 0], a[-1, -1] = np.iinfo(dtype).min, np.iinfo(dtype).max
        else:
            a = whole(dtype)
        what = f"pixels of {dtype}" + (", most of them beyond 2^53" if dtype.endswith("t64") else "")
        f.make(f"{dtype}.tif", what, a, DEFLATE, *tiles(16), needs="Int64" if dtype.endswith("t64") else None)
    a = heights(40, 30, step=0)
    a[0, :6] = [np.finfo(np.float32).max, -np.finfo(np.float32).max, 1e-45, -0.0, 1.1754942e-38, 0.1]
    f.make("float32.tif", "pixels of float32, with the greatest, the least and subnormal ones", a, DEFLATE, *tiles(16))
    a = np.sqrt(base.astype(np.float64)) / 3
    a[0, :5] = [1e300, 1, -1e300, 5e-324, -0.0]
    f.make("float64.tif", "pixels of float64, with great ones that cancel", a, DEFLATE, *tiles(16))
    f.make("bits-1.tif", "one bit a pixel", (base % 2).astype(np.uint8), DEFLATE, "NBITS=1", *tiles(16))
    f.make("bits-4.tif", "four bits a pixel", (base % 16).astype(np.uint8), DEFLATE, "NBITS=4", *tiles(16))
    f.make("bits-12.tif", "twelve bits a pixel", (base % 4096).astype(np.uint16), DEFLATE, "NBITS=12", *tiles(16))
    f.make("float16.tif", "floats of 16 bits", (base % 2048 / 8).astype(np.float32), DEFLATE, "NBITS=16", *tiles(16))
    f.make("palette.tif", "a colour table", (base % 256).astype(np.uint8), DEFLATE, *tiles(16), palette=True)
    f.make("min-is-white.tif", "zero means white; values stay as they are", (base % 256).astype(np.uint8), DEFLATE, "PHOTOMETRIC=MINISWHITE", *tiles(16))
    z = np.full((1, 16, 16), 1 + 2j)
    for name, kind in ("cint16", gdal.GDT_CInt16), ("cint32", gdal.GDT_CInt32), ("cfloat32", gdal.GDT_CFloat32), ("cfloat64", gdal.GDT_CFloat64):
        tiff(f.to / f"{name}.tif", z, DEFLATE, gdal_type=kind)
        f.fails(f"{name}.tif", "complex numbers", "open", says="complex numbers (C" + name[1].upper() + name[2:] + ")")


def several(f):
    """Several bands."""
    three = np.stack([ramp(44, 40, m) for m in (251, 199, 97)])
    f.make("bands-pixel.tif", "three bands, pixel-interleaved", three.astype(np.uint8), DEFLATE, "INTERLEAVE=PIXEL", *tiles(32))
    f.make("bands-band.tif", "three bands, in planes", three.astype(np.uint8), DEFLATE, "INTERLEAVE=BAND", *tiles(32))
    f.make("bands-pixel-strips.tif", "three int16 bands, pixel-interleaved strips", (three - 100).astype(np.int16), "COMPRESS=LZW", "INTERLEAVE=PIXEL", *strips(8))
    f.make("bands-band-strips.tif", "three float32 bands, planes of strips", (three / 4).astype(np.float32), DEFLATE, "INTERLEAVE=BAND", *strips(8))
    f.make("bands-band-jpeg.tif", "three bands, JPEG planes", three.astype(np.uint8) // 8 * 8, "COMPRESS=JPEG", "JPEG_QUALITY=90", "INTERLEAVE=BAND", *tiles(32), needs="JPEG", within=2)
    many = np.stack([ramp(20, 18, 200) + i for i in range(24)]).astype(np.uint8)
    f.make("bands-24.tif", "24 bands", many, DEFLATE, "INTERLEAVE=PIXEL", *tiles(16))
    holes = (three - 50).astype(np.int16)
    holes[0, 3:9], holes[1, :, 30:], holes[2, 20:31, 20:31] = -1, -1, -1
    f.make("bands-nodata.tif", "three bands, nodata at other places in each", holes, DEFLATE, "INTERLEAVE=PIXEL", *tiles(32), out=holes == -1, nodata=-1)


SIDECAR = """<PAMDataset>
  <PAMRasterBand band="1"><NoDataValue>-9999</NoDataValue><Scale>0.5</Scale><Offset>10</Offset></PAMRasterBand>
  <PAMRasterBand band="2"><NoDataValue>77</NoDataValue></PAMRasterBand>
</PAMDataset>
"""


def missing(f):
    """Nodata, NaN and masks."""
    w, h = 50, 40
    hole = np.zeros((h, w), bool)
    hole[10:25, 20:45], hole[30:, :7] = True, True

    def filled(a, nodata):
        a = a.copy()
        a[hole] = nodata
        return a

    def nodata(name, what, a, value, needs=None):
        f.make(f"nodata-{name}.tif", what, filled(a, value), DEFLATE, *tiles(32), out=hole, nodata=value, needs=needs)

    ints, floats, b = ramp(w, h, 4001) - 2000, heights(w, h), ramp(w, h).astype(np.uint8)
    nodata("int16", "nodata in int16", ints.astype(np.int16), -9999)
    nodata("uint8", "nodata 255 in uint8", ramp(w, h).astype(np.uint8), 255)
    nodata("int32", "nodata is the least int32", ints.astype(np.int32) * 1000, -(2**31))
    # As float64 the neighbours are equal to nodata: they are right only where int64 is compared.
    far = np.where(ints % 5 == 0, -(2**62), ints * 2**40 + 1).astype(np.int64)
    nodata("int64", "nodata in int64, with pixels that differ from it by 1", far, -(2**62) - 1, needs="Int64")
    great = np.where(ints % 5 == 0, 2**64 - 2, ints.astype(np.uint64) % 1000).astype(np.uint64)
    nodata("uint64", "nodata is the greatest uint64, with pixels that differ from it by 1", great, 2**64 - 1, needs="Int64")
    nodata("float32", "nodata in float32", floats, -9999.0)
    nodata("inexact", "nodata that float32 cannot hold exactly", floats, -9999.9)
    nodata("lowest", "nodata is the least float32", floats, -3.4028234663852886e38)
    nodata("float64", "nodata is the least float64", floats.astype(np.float64), -1.7976931348623157e308)
    nodata("nan", "nodata is NaN", floats, float("nan"))
    nodata("nan-float64", "nodata is NaN, float64", floats.astype(np.float64), float("nan"))
    zero = filled(floats, 0.0)
    zero[10:12, 20:45] = -0.0
    f.make("nodata-zero.tif", "nodata is zero, and some pixels are minus zero", zero, DEFLATE, *tiles(32), out=hole, nodata=0.0)
    f.make("nodata-all.tif", "nothing but nodata", np.full((h, w), -9999, np.float32), DEFLATE, *tiles(32), out=np.ones((h, w), bool), nodata=-9999)
    f.make("nodata-outside.tif", "nodata beyond the range of the type", ramp(w, h).astype(np.uint8), DEFLATE, *tiles(32), nodata=-9999)
    f.make("nodata-nan-int16.tif", "nodata is NaN in int16", ints.astype(np.int16), DEFLATE, *tiles(32), nodata=float("nan"))
    f.make("nodata-absent.tif", "nodata that no pixel has", floats, DEFLATE, *tiles(32), nodata=-9999)
    f.make("nan-undeclared.tif", "NaN without nodata", filled(floats, np.nan), DEFLATE, *tiles(32))
    odd = filled(floats, -9999)
    odd[0, ::3], odd[1, ::4], odd[2, ::5] = np.nan, np.inf, -np.inf
    f.make("nan-and-nodata.tif", "NaN, infinities and nodata", odd, DEFLATE, *tiles(32), out=hole, nodata=-9999)
    f.make("nan-all.tif", "nothing but NaN", np.full((h, w), np.nan, np.float32), DEFLATE, *tiles(32))

    f.make("mask-internal.tif", "a mask in the file", b, DEFLATE, *tiles(32), out=hole, mask=~hole)
    f.make("mask-sidecar.tif", "a mask beside the file (.msk)", b, DEFLATE, *tiles(32), out=hole, mask=~hole, sidecar=True)
    f.make("mask-strips.tif", "a mask in a file of strips", b, DEFLATE, *strips(7), out=hole, mask=~hole)
    three = np.stack([ramp(w, h, m) for m in (251, 199, 97)]).astype(np.uint8)
    f.make("mask-bands.tif", "a mask for three bands", three, DEFLATE, *tiles(32), out=hole, mask=~hole, colours=RGB)
    some = floats.copy()
    some[30, 1::3] = np.nan
    f.make("mask-nan.tif", "a mask, and NaN outside of it", some, DEFLATE, *tiles(32), out=hole, mask=~hole)
    alpha = np.where(hole, 0, 255).astype(np.uint8)
    alpha[5] = 100
    out = np.stack([hole] * 3 + [np.zeros_like(hole)])  # the alpha band itself has all its pixels
    f.make("alpha-rgb.tif", "three bands and alpha", np.concatenate([three, alpha[None]]), DEFLATE, "PHOTOMETRIC=RGB", "ALPHA=YES", *tiles(32), out=out, masked=True, colours=(*RGB, ALPHA))
    f.make("alpha-grey.tif", "one band and alpha, in planes", np.stack([b, alpha]), DEFLATE, "ALPHA=YES", "INTERLEAVE=BAND", *tiles(32), out=out[2:], masked=True, colours=(GREY, ALPHA))

    faint = np.where(hole, 0, 65535).astype(np.uint16)
    faint[5] = 1  # of 65535: next to nothing, and not nothing
    f.make("alpha-uint16.tif", "one band and alpha, uint16", np.stack([b * np.uint16(257), faint]), DEFLATE, "ALPHA=YES", *tiles(32), out=out[2:], masked=True, colours=(GREY, ALPHA))

    composite = three.copy()
    composite[:, hole] = np.array([[1], [2], [3]], np.uint8)
    composite[0, 0, :9], composite[1, 0, :9] = 1, 2  # two of the three values are not enough
    composite[2, 0, :9] = 77
    f.make("nodata-composite.tif", "nodata is the three bands' values together", composite, DEFLATE, "INTERLEAVE=BAND", *tiles(32), out=hole & np.all(composite == np.array([1, 2, 3], np.uint8)[:, None, None], axis=0), masked=True, values_out="1 2 3")
    tiff(f.to / "mask-each.tif", three, DEFLATE, "INTERLEAVE=BAND", *tiles(32))
    ds = gdal.Open(str(f.to / "mask-each.tif"))
    each = [np.roll(hole, n, 1) for n in (0, 3, 5)]
    gdal.SetConfigOption("GDAL_TIFF_INTERNAL_MASK", "NO")
    for i in range(3):
        ds.GetRasterBand(i + 1).CreateMaskBand(0)
        ds.GetRasterBand(i + 1).GetMaskBand().WriteArray(np.where(each[i], 0, 255).astype(np.uint8))
    ds = None
    f.keep("mask-each.tif", "a mask for each of three bands in planes, beside the file", three, np.stack(each), masked=True)

    two = np.stack([filled(ints, -9999), filled(ints[::-1], 77)]).astype(np.int16)
    path = f.to / "nodata-sidecar.tif"
    tiff(path, two, DEFLATE, *tiles(32))
    Path(f"{path}.aux.xml").write_text(SIDECAR, "utf-8")
    gdal.SetConfigOption("GDAL_PAM_ENABLED", "YES")
    f.keep(path.name, "nodata of each band, and the scale of one, beside the file (.aux.xml)", two, np.stack([two[0] == -9999, two[1] == 77]))
    gdal.SetConfigOption("GDAL_PAM_ENABLED", "NO")

    packed = filled(ints, -32768).astype(np.int16)
    f.make("scale-offset.tif", "stored as int16: value = stored x 0.1 + 100", packed, DEFLATE, *tiles(32), out=hole, nodata=-32768, scale=(0.1, 100))


def codecs(f):
    """Every way of compressing."""
    b = ramp(70, 50).astype(np.uint8)
    for codec in "PACKBITS", "LZW", "DEFLATE", "ZSTD", "LZMA", "LERC", "LERC_DEFLATE", "LERC_ZSTD":
        # LERC of bytes differs from run to run: its padding is left as it was in memory.
        a = b.astype(np.uint16) if codec.startswith("LERC") else b
        f.make(f"codec-{codec.lower().replace('_', '-')}.tif", codec, a, f"COMPRESS={codec}", *tiles(32), needs=codec)
    f.make("codec-none.tif", "not compressed", b, *tiles(32))
    f.make("codec-none-strips.tif", "not compressed, strips", b, *strips(9))
    old = f.to / "codec-deflate-old.tif"
    tiff(old, b[None], DEFLATE, *tiles(32))
    t = Tiff(old)
    t.set(COMPRESSION, 32946)
    t.save(old)
    f.keep(old.name, "DEFLATE under its older number", b)
    h = heights(40, 36)
    f.make("codec-lerc-float32.tif", "LERC, float32", h, "COMPRESS=LERC", *tiles(32), needs="LERC")
    h = h.copy()
    h[5:9, 5:36] = np.nan
    f.make("codec-lerc-nan.tif", "LERC, float32 with NaN", h, "COMPRESS=LERC", *tiles(32), needs="LERC")
    f.make("codec-ccitt.tif", "CCITT fax 4", (b // 64 % 2).astype(np.uint8), "COMPRESS=CCITTFAX4", "NBITS=1", *strips(50), needs="CCITTFAX4")
    three = np.stack([ramp(70, 50, m) for m in (251, 199, 97)]).astype(np.uint8)
    f.make("codec-webp.tif", "WEBP, lossless", three, "COMPRESS=WEBP", "WEBP_LOSSLESS=YES", "WEBP_LEVEL=100", *tiles(32), colours=RGB, needs="WEBP")
    # Squares of 8 x 8 of one value: at quality 100 no JPEG decoder loses any of it.
    squares = (ramp(70, 50) * 0 + np.kron(ramp(9, 7), np.ones((8, 8), np.int64))[:50, :70]).astype(np.uint8)
    f.make("codec-jpeg.tif", "JPEG, grey", squares, "COMPRESS=JPEG", "JPEG_QUALITY=100", *tiles(32), needs="JPEG")
    smooth = np.stack([heights(70, 50) / 3, 255 - heights(70, 50) / 3, heights(70, 50) / 4]).clip(0, 255).astype(np.uint8)
    f.make("codec-jpeg-ycbcr.tif", "JPEG in YCbCr, read as RGB", smooth, "COMPRESS=JPEG", "PHOTOMETRIC=YCBCR", *tiles(32), needs="JPEG", within=2)


def predictors(f):
    """Differences instead of values."""
    u = ramp(70, 50, 60013) * 977 % 60013
    for bits in 8, 16, 32:
        a = (u % 251 if bits == 8 else u * (1 if bits == 16 else 70001)).astype(f"uint{bits}")
        f.make(f"predictor-2-uint{bits}.tif", f"predictor 2, {bits} bits", a, DEFLATE, "PREDICTOR=2", *tiles(32))
    f.make("predictor-2-lzw.tif", "predictor 2, LZW, int16", (u - 30000).astype(np.int16), "COMPRESS=LZW", "PREDICTOR=2", *tiles(32))
    f.make("predictor-2-float32.tif", "predictor 2 on float32", heights(70, 50), DEFLATE, "PREDICTOR=2", *tiles(32))
    three = np.stack([ramp(44, 40, m) for m in (251, 199, 97)])
    f.make("predictor-2-pixel.tif", "predictor 2, three bands, pixel-interleaved", three.astype(np.uint16) * 200, DEFLATE, "PREDICTOR=2", "INTERLEAVE=PIXEL", *tiles(32))
    f.make("predictor-2-big-endian.tif", "predictor 2, big-endian", u.astype(np.uint16), DEFLATE, "PREDICTOR=2", "ENDIANNESS=BIG", *tiles(32))
    h = heights(70, 50)
    f.make("predictor-3-digits.tif", "predictor 3, float32 of all digits", heights(70, 50, step=0), DEFLATE, "PREDICTOR=3", *tiles(32))
    f.make("predictor-3-float32.tif", "predictor 3, float32", h, DEFLATE, "PREDICTOR=3", *tiles(32))
    f.make("predictor-3-float64.tif", "predictor 3, float64", np.sqrt(h[:30, :40].astype(np.float64)), DEFLATE, "PREDICTOR=3", *tiles(16))
    f.make("predictor-3-strips.tif", "predictor 3 in strips", h, DEFLATE, "PREDICTOR=3", *strips(7))
    f.make("predictor-3-lzw.tif", "predictor 3, LZW", h, "COMPRESS=LZW", "PREDICTOR=3", *tiles(32))
    f.make("predictor-3-zstd.tif", "predictor 3, ZSTD", h, "COMPRESS=ZSTD", "PREDICTOR=3", *tiles(32), needs="ZSTD")
    f.make("predictor-3-pixel.tif", "predictor 3, two bands, pixel-interleaved", np.stack([h, -h / 2]), DEFLATE, "PREDICTOR=3", "INTERLEAVE=PIXEL", *tiles(32))
    # libtiff 4.5 writes this kind with the bytes of each value reversed, and
    # reads it right: it is given reversed ones.
    tiff(f.to / "predictor-3-big-endian.tif", h.byteswap()[None], DEFLATE, "PREDICTOR=3", "ENDIANNESS=BIG", *tiles(32))
    f.keep("predictor-3-big-endian.tif", "predictor 3, big-endian", h)
    odd = h.copy()
    odd[3, 5:60:3], odd[20:30, 30:50] = np.nan, -9999
    f.make("predictor-3-nodata.tif", "predictor 3 with nodata and NaN", odd, DEFLATE, "PREDICTOR=3", *tiles(32), out=odd == -9999, nodata=-9999)


def sparse(f):
    """Blocks that were never written."""
    a = np.zeros((96, 96), np.uint16)
    a[32:64, 64:96] = 500 + ramp(32, 32)
    f.make("sparse.tif", "one block of nine is there; the others are zeros", a, DEFLATE, "SPARSE_OK=YES", *tiles(32))
    g = np.full((90, 90), -9999, np.float32)
    g[32:64, 0:32] = heights(32, 32)
    f.make("sparse-nodata.tif", "one block of nine is there; the others are nodata", g, DEFLATE, "SPARSE_OK=YES", *tiles(32), out=g == -9999, nodata=-9999)
    f.make("sparse-all.tif", "no block is there", np.zeros((50, 70), np.uint8), DEFLATE, "SPARSE_OK=YES", *tiles(32))
    f.make("sparse-none.tif", "not compressed, one block of nine is there", a, "SPARSE_OK=YES", *tiles(32))


def reduced(f):
    """Overviews: smaller copies."""
    steps = (np.add.outer(np.arange(96) // 4 * 16, np.arange(128) // 4 * 32)).astype(np.float32)

    def means(a, n):
        return a.reshape(a.shape[0] // n, n, a.shape[1] // n, n).mean(axis=(1, 3)).astype(a.dtype)

    def overviews(name, mode, by):
        gdal.SetConfigOption("COMPRESS_OVERVIEW", "DEFLATE")
        gdal.SetConfigOption("GDAL_TIFF_OVR_BLOCKSIZE", "64")
        ds = gdal.Open(str(f.to / name), mode)
        ds.BuildOverviews(by, [2, 4])

    small = [(means(steps, 2), None), (means(steps, 4), None)]
    for name, mode, what in ("overviews.tif", gdal.GA_Update, "overviews in the file"), ("overviews-external.tif", gdal.GA_ReadOnly, "overviews beside the file (.ovr)"):
        tiff(f.to / name, steps[None], DEFLATE, *tiles(32))
        overviews(name, mode, "AVERAGE")
        f.keep(name, what, steps, overviews=small)
    tiff(f.to / "overviews-damaged.tif", steps[None], DEFLATE, *tiles(32))
    (f.to / "overviews-damaged.tif.ovr").write_bytes(b"no overviews")
    f.keep("overviews-damaged.tif", "the file with the overviews (.ovr) is damaged, which GDAL says nothing of", steps)
    f.rows[-1]["warns"] = True
    hole = np.zeros(steps.shape, bool)
    hole[20:41, 30:75] = True
    filled = np.where(hole, np.float32(-9999), steps)
    few = [(filled[::n, ::n], hole[::n, ::n]) for n in (2, 4)]
    tiff(f.to / "overviews-nodata.tif", filled[None], DEFLATE, *tiles(32), nodata=-9999)
    overviews("overviews-nodata.tif", gdal.GA_Update, "NEAREST")
    f.keep("overviews-nodata.tif", "overviews with nodata", filled, hole, overviews=few)
    few = [(steps[::n, ::n], hole[::n, ::n]) for n in (2, 4)]
    tiff(f.to / "overviews-mask.tif", steps[None], DEFLATE, *tiles(32), mask=~hole)
    overviews("overviews-mask.tif", gdal.GA_Update, "NEAREST")
    f.keep("overviews-mask.tif", "overviews with a mask", steps, hole, masked=True, overviews=few)
    wide = np.kron(steps, np.ones((3, 3), np.float32))  # so that the overviews have several blocks: libtiff makes none below 64 x 64
    planes = np.stack([wide, 5000 - wide, wide / 2])
    tiff(f.to / "overviews-planes.tif", planes, DEFLATE, "INTERLEAVE=BAND", *tiles(32))
    overviews("overviews-planes.tif", gdal.GA_ReadOnly, "NEAREST")
    f.keep("overviews-planes.tif", "three bands in planes, overviews beside the file", planes, overviews=[(planes[:, ::n, ::n], None) for n in (2, 4)])
    big = (np.add.outer(np.arange(256) // 8 * 4, np.arange(320) // 8 * 8)).astype(np.float32)
    tiff(f.to / "cog.tif", big[None], DEFLATE, "BLOCKSIZE=128", driver="COG", overviews=(2, 4), resampling="AVERAGE")
    f.keep("cog.tif", "a cloud-optimised GeoTIFF", big, overviews=[(means(big, 2), None), (means(big, 4), None)])


VRT = '<VRTDataset rasterXSize="{}" rasterYSize="{}">\n{}</VRTDataset>\n'
BAND = '  <VRTRasterBand dataType="{}" band="{}">\n{}{}  </VRTRasterBand>\n'
SOURCE = '    <SimpleSource>\n      <SourceFilename relativeToVRT="1">{}</SourceFilename>\n      <SourceBand>1</SourceBand>\n      <SrcRect xOff="0" yOff="0" xSize="{}" ySize="{}"/>\n      <DstRect xOff="{}" yOff="{}" xSize="{}" ySize="{}"/>\n    </SimpleSource>\n'


def collections(f):
    """Rasters made of others, in archives, and of other formats."""
    left, right = heights(40, 50), (heights(40, 50)[:, ::-1] - 100).copy()
    (f.to / "parts").mkdir()
    f.make("parts/left.tif", "left part of the mosaic", left, DEFLATE, *tiles(32))
    f.make("parts/right.tif", "right part of the mosaic", right, DEFLATE, *strips(8))

    def source(name, x, width=40):
        return SOURCE.format(name, width, 50, x, 0, width, 50)

    def vrt(name, width, bands):
        (f.to / name).write_text(VRT.format(width, 50, "".join(bands)), "utf-8")

    nodata = "    <NoDataValue>-9999</NoDataValue>\n"
    vrt("mosaic.vrt", 84, [BAND.format("Float32", 1, nodata, source("parts/left.tif", 0) + source("parts/right.tif", 44))])
    both = np.full((50, 84), -9999, np.float32)
    both[:, :40], both[:, 44:] = left, right
    f.keep("mosaic.vrt", "a mosaic of two files with a gap", both, both == -9999)
    bytes_ = ramp(40, 50).astype(np.uint8)
    f.make("parts/bytes.tif", "the bytes of the mixed raster", bytes_, DEFLATE, *tiles(16))
    vrt("mixed.vrt", 40, [BAND.format("Float32", 1, "", source("parts/left.tif", 0)), BAND.format("Byte", 2, "    <NoDataValue>200</NoDataValue>\n", source("parts/bytes.tif", 0))])
    f.keep("mixed.vrt", "bands of two types, nodata in the second alone", [left, bytes_], np.stack([left != left, bytes_ == 200]))
    planes = np.stack([ramp(40, 50, m) for m in (251, 199, 97)]).astype(np.uint8)
    f.make("parts/planes.tif", "the planes of the mosaic", planes, DEFLATE, "INTERLEAVE=BAND", *tiles(16))
    vrt("planes.vrt", 40, [BAND.format("Byte", i + 1, "", source("parts/planes.tif", 0).replace("<SourceBand>1", f"<SourceBand>{i + 1}")) for i in range(3)])
    f.keep("planes.vrt", "a VRT of three planes", planes)
    vrt("lost.vrt", 40, [BAND.format("Float32", 1, "", source("parts/nowhere.tif", 0))])
    f.fails("lost.vrt", "a mosaic whose part is missing", "read", says="nowhere.tif")

    with zipfile.ZipFile(f.to / "archive.zip", "w", zipfile.ZIP_DEFLATED) as z:
        # The time in the archive is a fixed one.
        z.writestr(zipfile.ZipInfo("maps/right.tif"), (f.to / "parts/right.tif").read_bytes())
    f.keep("/vsizip/archive.zip/maps/right.tif", "in an archive", right)

    grid = (ramp(12, 9, 97) / 4).astype(np.float32)
    grid[3, 4:7] = -9999
    rows = "\n".join(" ".join(f"{v:g}" for v in row) for row in grid.tolist())
    (f.to / "grid.asc").write_text(f"ncols 12\nnrows 9\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -9999\n{rows}\n", "utf-8")
    f.keep("grid.asc", "an ASCII grid", grid, grid == -9999, needs="AAIGrid")

    part = ramp(40, 30).astype(np.int16)
    ds = gdal.GetDriverByName("Zarr").Create(str(f.to / "folder.zarr"), 40, 30, 1, gdal.GDT_Int16, ["COMPRESS=ZLIB", "BLOCKSIZE=16,16"])
    ds.GetRasterBand(1).WriteArray(part)
    ds = None
    f.keep("folder.zarr", "a raster that is a folder", part, needs="Zarr")
    several = gdal.GetDriverByName("netCDF").CreateMultiDimensional(str(f.to / "variables.nc"))
    root = several.GetRootGroup()
    y, x = root.CreateDimension("y", None, None, 30), root.CreateDimension("x", None, None, 40)
    for name, values in ("first", part), ("second", part[::-1].copy()):
        root.CreateMDArray(name, [y, x], gdal.ExtendedDataType.Create(gdal.GDT_Int16)).Write(values)
    several = root = y = x = None
    f.fails("variables.nc", "two variables, and no raster of its own", "open", says="it holds several rasters; name one of its 2, such as", needs="netCDF")

    tiff(f.to / "pages.tif", ramp(40, 30).astype(np.uint8)[None], DEFLATE, *tiles(16))
    tiff(f.to / "pages.tif", np.full((1, 20, 20), 9, np.uint8), DEFLATE, "APPEND_SUBDATASET=YES")
    f.keep("pages.tif", "two images in a file; the first is read", ramp(40, 30).astype(np.uint8))

    four = np.stack([ramp(44, 40, m) for m in (251, 199, 97, 256)]).astype(np.uint8)
    path = f.to / "warns.tif"
    tiff(path, four, DEFLATE, "PHOTOMETRIC=RGB", "ALPHA=YES", *tiles(32))
    t = Tiff(path)
    t.drop(EXTRA_SAMPLES)
    t.save(path)
    # libtiff then takes the fourth sample for one that is not alpha, and warns.
    f.keep("warns.tif", "a tag is missing: GDAL warns, and reads", four)
    f.rows[-1]["warns"] = True


def elsewhere(f):
    """Real rasters, which are not made: the values are computed from their bytes."""
    home = Path(__file__).resolve().parent.parent.parent
    for name, what in ("data/olinda/olinda_dem_utm25s.tif", "real: heights of Olinda"),:
        if not (home / name).exists():
            raise SystemExit(f"fixtures: {name} is missing")
        values, masks = by_gdal(str(home / name))
        f.keep(str(home / name), what, values, ~np.stack(masks))
        f.rows[-1]["file"] = "../../../../" + name
    geoid = Path("/usr/share/proj/egm96_15.gtx")
    if not geoid.exists():
        raise SystemExit("fixtures: egm96_15.gtx is missing (Debian's package proj-data)")
    # GTX: latitude, longitude and steps as big-endian doubles, rows and columns
    # as integers, then float32 rows from the south.
    raw = geoid.read_bytes()
    rows, columns = np.frombuffer(raw, ">i4", 2, 32)
    values = np.frombuffer(raw, ">f4", offset=40).reshape(rows, columns)[::-1].astype(np.float32)
    f.keep(str(geoid), "real: the EGM96 geoid", values, values == np.float32(-88.8888), needs="GTX")
    f.rows[-1] |= {"file": "proj:egm96_15.gtx", "md5": hashlib.md5(raw).hexdigest()}


def ours(to):
    """Whether a folder was made here: it then has a table of rows as truth.json."""
    try:
        rows = json.loads((to / "truth.json").read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(rows, list) and bool(rows) and all(isinstance(r, dict) and {"file", "what"} <= r.keys() for r in rows)


def main(to):
    """Makes all in a folder beside, and exchanges the two at the end. What was not made here stays."""
    to = Path(os.path.abspath(to))
    if os.path.lexists(to) and (to.is_symlink() or not ours(to)):
        print(f"fixtures: {to} exists and holds no fixtures (no truth.json of theirs); choose a folder that is not there yet", file=sys.stderr)
        raise SystemExit(2)
    to.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{to.name}-", dir=to.parent))
    try:
        new = work / "new"
        new.mkdir()
        f = Folder(new)
        for part in layouts, types, several, missing, codecs, predictors, sparse, reduced, collections, damaged, elsewhere:
            part(f)
        f.write_truth()
        if to.exists():
            if (to / "rapid").exists():  # what failing tests left
                shutil.copytree(to / "rapid", new / "rapid")
            to.rename(work / "old")
        new.rename(to)
    finally:
        shutil.rmtree(work)
    total = sum(p.stat().st_size for p in to.rglob("*") if p.is_file())
    print(f"fixtures: {len(f.rows)} kinds, {total / 1000:.0f} kB in {to}")


KEPT = Path(__file__).resolve().parent.parent.parent / "pkg/raster/testdata"
USAGE = """usage: scripts/fixtures [--check | FOLDER]
  (nothing)  makes the fixtures anew in {kept}
  --check    makes them twice elsewhere, and compares the two with each other
             and with those that are kept
  FOLDER     makes them in a folder that is not there yet, or one of fixtures;
             any other is left alone
"""


def differs(a, b):
    """Whether two folders hold other files or bytes, what failing tests left apart."""
    files = [{p.relative_to(d): p for p in d.rglob("*") if p.is_file() and "rapid" not in p.parts} for d in (a, b)]
    names = sorted(files[0].keys() | files[1].keys())
    other = [n for n in names if n not in files[0] or n not in files[1] or files[0][n].read_bytes() != files[1][n].read_bytes()]
    for name in other:
        print(f"{name} differs, in {a} and {b}", file=sys.stderr)
    return bool(other)


def check():
    """Makes all twice elsewhere, and compares."""
    with tempfile.TemporaryDirectory(prefix="overlap-fixtures.") as scratch:
        first, second = (Path(scratch) / name / "testdata" for name in ("first", "second"))
        main(first)
        main(second)
        if differs(first, second):
            raise SystemExit("fixtures: two runs differ: something in them is not fixed")
        if (KEPT / "truth.json").read_bytes() != (first / "truth.json").read_bytes():
            raise SystemExit("fixtures: the values that are kept differ")
        if differs(KEPT, first):
            raise SystemExit("fixtures: the values are the same, the files are not: another GDAL, or the script was changed since")
    print("fixtures: the same in two runs, and those that are kept")


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            main(KEPT)
        case ["--check"]:
            check()
        case ["-h" | "--help"]:
            print(USAGE.format(kept=KEPT), end="")
        case [folder] if folder and not folder.startswith("-"):
            main(Path(folder))
        case _:
            print(USAGE.format(kept=KEPT), end="", file=sys.stderr)
            raise SystemExit(2)

"""Writes one raster, and the pixels that the fixtures hold."""

import numpy as np
from osgeo import gdal, gdal_array, osr

gdal.UseExceptions()
# No side files with statistics, one thread: the same bytes each time.
gdal.SetConfigOption("GDAL_PAM_ENABLED", "NO")
gdal.SetConfigOption("GDAL_NUM_THREADS", "1")
gdal.PushErrorHandler("CPLQuietErrorHandler")  # for warnings; errors are raised


def ramp(width, height, modulus=251):
    """Integers that differ along both axes: no flip, shift or swap keeps them."""
    y, x = np.mgrid[0:height, 0:width].astype(np.int64)
    return (x * 7 + y * 13 + (x * y) % 11) % modulus


def heights(width, height, step=1 / 4):
    """Smooth float32 values, in steps to keep files small; step 0 has all digits."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    a = 300 + 250 * np.sin(x / 17) * np.cos(y / 13) + x / 7
    return (np.round(a / step) * step if step else a).astype(np.float32)


def tiles(width, height=None):
    """Creation options for tiles."""
    return ("TILED=YES", f"BLOCKXSIZE={width}", f"BLOCKYSIZE={height or width}")


def strips(rows):
    """Creation options for strips."""
    return (f"BLOCKYSIZE={rows}",)


def memory(values, *, nodata=None, mask=None, georeferenced=True, gdal_type=None, scale=None, colours=None, palette=False, overviews=(), resampling="NEAREST", values_out=None):
    """A raster in memory, with all that a file may say of it."""
    bands, height, width = values.shape
    kind = gdal_type or (gdal.GDT_Byte if values.dtype == np.int8 else gdal_array.NumericTypeCodeToGDALTypeCode(values.dtype))
    ds = gdal.GetDriverByName("MEM").Create("", width, height, bands, kind)
    if georeferenced:
        place = osr.SpatialReference()
        place.ImportFromEPSG(32725)
        ds.SetProjection(place.ExportToWkt())
        ds.SetGeoTransform((288000, 90, 0, 9120000, 0, -90))
    if values_out:
        ds.SetMetadataItem("NODATA_VALUES", values_out)
    for i in range(bands):
        band = ds.GetRasterBand(i + 1)
        if nodata is not None:
            band.SetNoDataValue(nodata)
        if scale:
            band.SetScale(scale[0])
            band.SetOffset(scale[1])
        if colours:
            band.SetColorInterpretation(colours[i])
        if palette:
            table = gdal.ColorTable()
            for n in range(256):
                table.SetColorEntry(n, (n, 255 - n, n // 2, 255))
            band.SetColorTable(table)
        a = values[i]
        band.WriteArray(a.view(np.uint8) if a.dtype == np.int8 else a)
    if mask is not None:
        ds.CreateMaskBand(gdal.GMF_PER_DATASET)
        ds.GetRasterBand(1).GetMaskBand().WriteArray(mask.astype(np.uint8) * 255)
    if overviews:
        ds.BuildOverviews(resampling, list(overviews))
    return ds


def tiff(path, values, *options, sidecar=False, driver="GTiff", **about):
    """Writes a TIFF. sidecar: the mask goes into a file beside it."""
    if values.dtype == np.int8:
        options += ("PIXELTYPE=SIGNEDBYTE",)
    gdal.SetConfigOption("GDAL_TIFF_INTERNAL_MASK", "NO" if sidecar else "YES")
    source = memory(values, **about)
    gdal.GetDriverByName(driver).CreateCopy(str(path), source, options=list(options)).FlushCache()

// Package terrain makes the rasters that the lab reads.
//
// [Terrain] is a synthetic elevation model, and [Files] makes sure that the lab's own files of it
// are there. [Geoid] finds a real raster that many machines have. Package raster reads them.
//
// noise.go has what the heights are, terrain.go how they are written, and ensure.go how a whole
// file is told from a damaged one. To change the heights, see [Terrain.Ensure]: files made before
// must be made again.
package terrain

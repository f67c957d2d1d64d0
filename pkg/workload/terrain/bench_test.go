package terrain

import "testing"

func BenchmarkTerrainRow(b *testing.B) {
	row, n := make([]float32, 4096), newNoise(1)
	b.SetBytes(int64(4 * len(row)))
	for b.Loop() {
		n.row(row, 17)
	}
}

package main

// kept are whole arrays, one a file.
type kept struct {
	arrays [][]float32
	frees  []func()
}

// room makes the array of the next file.
func (k *kept) room(n int, huge bool) ([]float32, error) {
	pixels, free := []float32(nil), func() {}
	if huge {
		var err error
		if pixels, free, err = hugePixels(n); err != nil {
			return nil, err
		}
	} else {
		pixels = make([]float32, n)
	}
	k.arrays, k.frees = append(k.arrays, pixels), append(k.frees, free)
	return pixels, nil
}

// answer folds the arrays and lets go of them.
func (k *kept) answer() answer {
	t := newTally()
	for i, pixels := range k.arrays {
		t.merge(fold(pixels))
		k.frees[i]()
	}
	*k = kept{}
	return t.answer
}

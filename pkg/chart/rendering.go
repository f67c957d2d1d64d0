package chart

import (
	"image"
	"slices"
	"sync"
)

// A rendering is a figure in one format, made when it is first asked for:
// showing a figure and saving it take the same picture.
type rendering struct {
	once sync.Once
	data []byte
	size image.Point
	err  error
}

// get returns a copy of what render made, which the caller may change.
func (r *rendering) get(render func() ([]byte, image.Point, error)) ([]byte, image.Point, error) {
	r.once.Do(func() { r.data, r.size, r.err = render() })
	return slices.Clone(r.data), r.size, r.err
}

// bytes is get for a format without a size.
func (r *rendering) bytes(render func() ([]byte, error)) ([]byte, error) {
	data, _, err := r.get(func() ([]byte, image.Point, error) {
		data, err := render()
		return data, image.Point{}, err
	})
	return data, err
}

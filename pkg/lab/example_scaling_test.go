package lab_test

import (
	"fmt"

	"overlap/pkg/lab"
)

// A pool that was measured at six widths.
func ExampleUSL() {
	widths := []float64{1, 2, 4, 8, 16, 32}
	pagesPerSecond := []float64{100, 190, 348, 590, 874, 1009}
	fit, err := lab.USL(widths, pagesPerSecond)
	if err != nil {
		fmt.Println(err)
		return
	}
	peak, _ := fit.Peak()
	fmt.Printf("contention %.2f, most at a width of %.0f\n", fit.Sigma, peak)

	_, err = lab.USL(widths[:3], pagesPerSecond[:3])
	fmt.Println(err)
	// Output:
	// contention 0.04, most at a width of 34
	// lab: no fit of the Universal Scalability Law: 3 different widths; it takes at least 5, such as 1, 2, 4, 8 and 16
}

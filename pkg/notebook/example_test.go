package notebook_test

import (
	"overlap/pkg/lab"
	"overlap/pkg/notebook"
)

func ExampleShow() {
	notebook.Show("Published:", lab.Table{
		Head: []string{"way", "seconds"},
		Rows: [][]string{{"one after another", "5.2"}, {"all at once", "2.1"}},
	})
	notebook.Text("That is %.1f times as fast.", 5.2/2.1)
	// Output:
	// Published:
	// way                seconds
	// one after another      5.2
	// all at once            2.1
	// That is 2.5 times as fast.
}

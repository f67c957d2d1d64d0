// Package notebook shows what an experiment found: in a cell of a GoNB notebook as pictures and tables,
// in a terminal or a log as plain lines. The calls are the same.
//
//	ctx := notebook.Context()
//	result, err := experiment.Run(ctx, notebook.Progress())
//	notebook.Show(chart.Times(result), result, err)
//
// [Live] puts controls above what is shown.
//
// In a cell everything goes to the notebook in the order of the calls, and from the first of them what
// the program prints itself, or with package log, keeps its place among it. A cell shows as much as a
// reader can use: of more than a thousand lines the beginning, and, when it has ended, the last of
// them. Importing the package does nothing.
//
// To have Show take one more kind of thing, add it to hasOwnWay and blocksOf (show.go); how it looks
// goes beside the others in table.go, as a block in all its forms. What becomes of a block, and how
// much is shown, is in output.go; what is printed besides, in printed_unix.go and package sieve. Kinds
// of controls are in control.go and live.js, interrupts in context.go.
package notebook

// Package notebook shows what an experiment found: in a cell of a GoNB
// notebook as pictures and tables, in a terminal or a log as plain lines. The
// calls are the same.
//
//	ctx := notebook.Context()
//	result, err := experiment.Run(ctx, notebook.Progress())
//	notebook.Show(chart.Times(result), result, err)
//
// [Live] puts controls above what is shown.
//
// In a cell everything goes to the notebook on one way and in the order of the
// calls. What the fmt package prints goes another way and may come out before
// or after it, so a cell that uses [Show] should use [Text] to print.
package notebook

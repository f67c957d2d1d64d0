// Package chart turns measured results into figures that can be published as they are: [Times],
// [Speedup], [Trials] and [Published] draw a [lab.Result], [Lanes] and [InFlight] draw what the tasks
// of single trials did, [RunningOver] and [Lives] the evidence of a [verdict.Verdict].
//
// A constructor never fails and never returns nil. What is wrong with its input is kept in the [Figure]
// and returned by [Figure.Err] and by every method that would need the drawing, so that a cell of a
// notebook can show a figure without looking at errors first.
//
// All figures share one look: a colour, a marker and a dash pattern for each variant, which a
// well-known scheduler has in every figure of every experiment; names beside the data instead of a
// legend; the machine and the statistic in the caption. They are saved as PNG at twice the density, and
// as SVG and PDF whose text is text; the PDF has its fonts in it.
package chart

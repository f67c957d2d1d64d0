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
//
// # Where things are
//
// A figure is a constructor in a file of its own name, which says what is drawn and writes the texts
// around it, over one of four drawings: lines.go (values against sizes), rows.go (a row for each
// variant), and two on an axis of time, lanes and strips, in timeline.go. figure.go has the page with
// its texts, render.go the formats, variant.go themes and sizes, data.go what all figures of a [lab.Result]
// share, traced.go the same for a [verdict.Verdict], activity.go the states of goroutines, scale.go and
// ticks.go the axes, style.go who gets which colour, slug.go the names of files. What it is drawn with
// (fonts, letters, colours, PNG, SVG, PDF) is in internal/ink.
//
// To add a figure, start at [Expected], which is short; have TestEveryConstructorIsPinned tell you to
// pin it in pin_figures_test.go; run that with -update, and look at what -drawn writes.
package chart

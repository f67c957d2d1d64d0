// Package ink is the typography of the figures: what a chart draws with, whatever it shows.
//
//	theme.go      the colours of paper and of dark pages, the text styles; a [Kit] is both, made ready
//	look.go       how a series is told from others: colour, shade, marker, dash
//	letters.go    texts: each letter in the first font that has it, marks with their letters
//	direction.go  letters that are read from the right
//	fonts.go      the fonts of the machine, for letters that the built-in one lacks
//	wrap.go       texts in lines no wider than there is room
//	png.go        the picture, with kerning; palette.go gives it at most 256 colours
//	svg.go        the SVG, whose text is text
//	pdf/          the PDF, whose text is text
//
// To add a theme or a colour start at theme.go, to look for another font at the list in fonts.go.
//
// # Why a PDF canvas of our own
//
// No library that we could find writes text as text, each letter where the kerning puts it, from fonts
// of all kinds of which only the letters that are needed are in the file. gonum's vgpdf writes code
// page 1252, which has no Korean and garbles × and μ, and darkens translucent colours. It stands on
// fpdf, which refuses fonts with CFF outlines and collections, reads only cmaps of format 4 and has no
// kerning. tdewolff/canvas does it right, but has no versions, and some ninety modules come with it.
//
// # Why directions and fonts are found by code of our own
//
// golang.org/x/text/unicode/bidi knows which letters are read from the right, and is asked. Its
// Ordering gives parts as they are read, without the levels that say how they stand, and puts the
// number of a name such as "שלום (2)" before the name; in a label it is to stay behind.
//
// go-text/typesetting/fontscan was tried (v0.3.0: 40 ms, 1.9 MB). For a letter that no font has it
// returns any font at all, so that nobody could be told what to install; it writes a cache of its own;
// and which of several fonts it takes is not a matter of what reads well in a figure.
package ink

// Package pdf draws one page of a PDF through gonum's vg: text as text, each
// letter where its font and the kerning put it, with the fonts in the file.
//
// It is code of our own because no library that we could find does that.
// gonum's vgpdf writes text in code page 1252, which has no Korean and garbles
// × and μ, and darkens translucent colours. It stands on fpdf, which refuses
// fonts with CFF outlines and collections, reads only cmaps of format 4 and
// has no kerning. tdewolff/canvas does it right, but has no versions, and some
// ninety modules come with it.
package pdf

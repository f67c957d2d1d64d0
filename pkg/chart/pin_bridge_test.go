package chart

// OnlyFontsIn is onlyFontsIn, for the tests that see the package from outside.
var OnlyFontsIn = onlyFontsIn

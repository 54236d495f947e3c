package chart

// Width is what the layout takes a text's width for.
var Width = width

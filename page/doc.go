// Package page makes of plain Data one HTML file that needs nothing else: stylesheet, script and
// numbers are in it, and its policy lets nothing be fetched.
//
// It knows no run folder, no event and no statistics: package report fills Data and decides what
// may be said. The charts are drawn by package chart when the page is made; the script only hides,
// sorts and points.
//
// A page that is open can be given newer data without losing what its reader chose: filters, sorting
// and the pinned cell stand in the URL fragment, and everything else is inside <main>. So whoever
// serves a growing page draws it (Draw), writes the whole page once and later only its inside, and
// hands that text to the function servematrix.replace of the page's script, which puts it in the
// place of the old <main> and applies the fragment again. Options.Connect opens the policy for the
// page's own server and names the script that listens to it.
package page

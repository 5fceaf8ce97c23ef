# Loaded before every plot: colours that are distinct for colour-blind readers (Okabe and Ito), and a font size that stays
# legible when the page is scaled to a phone. Legends stand below the plot, where they hide nothing.
set terminal svg size 470,400 dynamic enhanced font "sans-serif,14" background "#ffffff" linewidth 1.3
set datafile separator comma
set datafile columnheaders
set linetype 1 lc rgb "#0072B2"
set linetype 2 lc rgb "#D55E00"
set linetype 3 lc rgb "#009E73"
set linetype 4 lc rgb "#CC79A7"
set linetype 5 lc rgb "#E69F00"
set linetype 6 lc rgb "#56B4E9"
set linetype 7 lc rgb "#8a7a00"
set linetype 8 lc rgb "#000000"
set grid lc rgb "#dddddd"
set border 3 lc rgb "#555555"
set tics nomirror
set key below center horizontal maxcols 2 width 1 spacing 1.1 samplen 2 title " " font ",14"

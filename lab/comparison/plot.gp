set terminal svg size 470,640 dynamic enhanced font "sans-serif,14" background "#ffffff" linewidth 1.3
set xlabel "bits per item (0.1 %)"
set logscale x 2
set xrange [8:512]
set yrange [13.6:-0.6]
set style fill solid 0.8 noborder
set key title "" at screen 0.5, 0.99 center top vertical maxcols 1
set tmargin at screen 0.84
set grid xtics noytics
positive(x) = x > 0 ? x : NaN
plot "data.csv" using 3:1:(8):3:($1-0.36):($1-0.13):ytic(2) with boxxyerror lt 1 title "at one size", \
     "data.csv" using (positive($4)):1:(8):4:($1-0.11):($1+0.12) with boxxyerror lt 5 title "grown 16-fold", \
     "data.csv" using 5:1:(8):5:($1+0.14):($1+0.37) with boxxyerror lt 2 title "mean over the trace", \
     "data.csv" using 5:($1+0.255):6:7 with xerrorbars lt 8 pt -1 lw 0.7 notitle

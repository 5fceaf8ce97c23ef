# The plot of docs/benchmarks.md, from the results of `guira-bench --only scale`. Run it from the top of the project:
#
#     gnuplot bench/scale.gp                 docs/scale.csv -> docs/scale.svg
#
# Columns of the file: 2 size, 3 filter, 4 metric, 7 median, 12 median by processor time, 16 standard error of a rate.
csv = "docs/scale.csv"
set output "docs/scale.svg"
set terminal svg size 940,390 dynamic enhanced font "sans-serif,13" background "#ffffff" linewidth 1.3
set datafile separator comma
set datafile missing NaN
set linetype 1 lc rgb "#0072B2"
set linetype 2 lc rgb "#D55E00"
set linetype 3 lc rgb "#009E73"
set linetype 4 lc rgb "#CC79A7"
set linetype 5 lc rgb "#000000"
set grid lc rgb "#dddddd"
set border 3 lc rgb "#555555"
set tics nomirror
set key below spacing 1.1 samplen 2 width -1
set logscale x
set format x "10^{%L}"
set xlabel "items"
set xrange [7e4:*]

rate(filter) = sprintf("< awk -F, '$3 == \"%s\" && $4 == \"fpr\"' %s", filter, csv)
speed(metric) = sprintf("< awk -F, '$3 == \"tidal-16\" && $4 == \"%s\"' %s", metric, csv)

set multiplot layout 1,2
set title "false-positive rate"
set logscale y
set format y "10^{%L}"
set yrange [1e-4:1]
plot rate("tidal-12") using 2:7:16 with yerrorlines pt 7 ps 0.5 title "12-bit slots", \
     rate("tidal-16") using 2:7:16 with yerrorlines pt 7 ps 0.5 title "16 bits", \
     rate("tidal-20") using 2:7:16 with yerrorlines pt 7 ps 0.5 title "20 bits"

set title "million operations per second, 16-bit slots"
unset logscale y
set format y "%g"
set yrange [0:*]
plot speed("lookup_positive_batch") using 2:12 with linespoints pt 7 ps 0.5 title "present, in batches", \
     speed("lookup_negative_batch") using 2:12 with linespoints pt 7 ps 0.5 title "absent, in batches", \
     speed("lookup_positive") using 2:12 with linespoints pt 7 ps 0.5 title "present", \
     speed("lookup_negative") using 2:12 with linespoints pt 7 ps 0.5 title "absent", \
     speed("insert") using 2:12 with linespoints pt 7 ps 0.5 title "insert"
unset multiplot

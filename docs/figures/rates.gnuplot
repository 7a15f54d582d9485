$data_0_0 << EOD
10000 0.4845928909 0.4808216805 0.4883641012
31623 0.2554696063 0.2539273968 0.2570118157
100000 0.1263297979 0.1257723453 0.1268872505
316228 0.06013120591 0.05984934593 0.06041306589
1000000 0.03265822517 0.03251510923 0.03280134111
3162278 0.01846573596 0.01838956822 0.01854190369
10000000 0.01030793471 0.01027075683 0.0103451126
EOD
$data_0_1 << EOD
100000 0.0499396447 0.04876654046 0.05111274895
316228 0.06892651009 0.06848229878 0.06937072141
1000000 0.04020013499 0.03998411838 0.04041615159
3162278 0.02132468447 0.02121289925 0.02143646968
10000000 0.01192301598 0.01185917235 0.01198685962
EOD
$data_0_2 << EOD
10000 142.6465666 142.6465666 142.6465666
31623 79.04694067 79.04694067 79.04694067
100000 43.94870471 43.94870471 43.94870471
316228 24.50289197 24.50289197 24.50289197
1000000 13.69014214 13.69014214 13.69014214
3162278 7.661139707 7.661139707 7.661139707
10000000 4.292431341 4.292431341 4.292431341
EOD
$data_0_3 << EOD
10000 153.9223508 153.9223508 153.9223508
31623 85.27230997 85.27230997 85.27230997
100000 47.40353874 47.40353874 47.40353874
316228 26.42714323 26.42714323 26.42714323
1000000 14.76466802 14.76466802 14.76466802
3162278 8.262282462 8.262282462 8.262282462
10000000 4.629193566 4.629193566 4.629193566
EOD
$data_0_4 << EOD
10000 0.4845928909 0.4845928909 0.4845928909
10000000 0.01532417273 0.01532417273 0.01532417273
EOD
$data_1_0 << EOD
5 283109.0605 281074.0091 285158.8461
10 452432.2154 450049.3505 454827.6968
20 789213.6275 784702.7072 793750.4791
40 1454272.627 1445204.064 1463398.094
80 2774770.923 2762218.298 2787380.592
EOD
$data_1_1 << EOD
5 283109.0605 283109.0605 283109.0605
10 440391.8718 440391.8718 440391.8718
20 754957.4945 754957.4945 754957.4945
40 1384088.74 1384088.74 1384088.74
80 2642351.231 2642351.231 2642351.231
EOD
$data_2_0 << EOD
1 1362446.724 1354679.497 1370258.487
2 2270538.92 2257184.932 2283971.914
4 4087016.745 4062825.669 4111351.862
8 7719421.226 7673685.48 7765429.561
16 14985159 14896283.37 15074564.88
EOD
$data_2_1 << EOD
1 1362446.724 1362446.724 1362446.724
2 2270744.541 2270744.541 2270744.541
4 4087340.173 4087340.173 4087340.173
8 7720531.438 7720531.438 7720531.438
16 14986913.97 14986913.97 14986913.97
EOD
set key below samplen 2 spacing 1.1
set grid lc rgb "#dddddd"
set border 3
set tics nomirror
set encoding utf8
set terminal svg size 1680,400 font "Helvetica,12" background rgb "white"
set output "docs/figures/rates.svg"
set multiplot layout 1,3
set title "Error against T, Theorem 3.1's settings"
set xlabel "T"
set ylabel "error"
set logscale x
set format x "10^{%L}"
set logscale y
set format y "%.1g"
plot $data_0_0 using 1:2:3:4 with yerrorbars pt 7 ps 0.5 lc rgb "#0072B2" title "|E gap|", \
     $data_0_1 using 1:2:3:4 with yerrorbars pt 7 ps 0.5 lc rgb "#D55E00" title "E violation", \
     $data_0_2 using 1:2 with lines lw 2 dt 2 lc rgb "#009E73" title "bound (1.61)", \
     $data_0_3 using 1:2 with lines lw 2 dt 2 lc rgb "#CC79A7" title "bound (1.62)", \
     $data_0_4 using 1:2 with lines lw 2 dt 2 lc rgb "#E69F00" title "slope -1/2"
set title "Calls to accuracy 0.2 against n"
set xlabel "n"
set ylabel "calls"
set logscale x
set format x "10^{%L}"
set logscale y
set format y "%.1g"
plot $data_1_0 using 1:2:3:4 with yerrorbars pt 7 ps 0.5 lc rgb "#0072B2" title "measured", \
     $data_1_1 using 1:2 with lines lw 2 dt 2 lc rgb "#D55E00" title "linear growth"
set title "Calls to accuracy 0.1 against m"
set xlabel "m"
set ylabel "calls"
set logscale x
set format x "10^{%L}"
set logscale y
set format y "%.1g"
plot $data_2_0 using 1:2:3:4 with yerrorbars pt 7 ps 0.5 lc rgb "#0072B2" title "measured", \
     $data_2_1 using 1:2 with lines lw 2 dt 2 lc rgb "#D55E00" title "linear growth"
unset multiplot
unset output
set terminal pngcairo size 1680,400 font "Helvetica,12" background rgb "white"
set output "docs/figures/rates.png"
set multiplot layout 1,3
set title "Error against T, Theorem 3.1's settings"
set xlabel "T"
set ylabel "error"
set logscale x
set format x "10^{%L}"
set logscale y
set format y "%.1g"
plot $data_0_0 using 1:2:3:4 with yerrorbars pt 7 ps 0.5 lc rgb "#0072B2" title "|E gap|", \
     $data_0_1 using 1:2:3:4 with yerrorbars pt 7 ps 0.5 lc rgb "#D55E00" title "E violation", \
     $data_0_2 using 1:2 with lines lw 2 dt 2 lc rgb "#009E73" title "bound (1.61)", \
     $data_0_3 using 1:2 with lines lw 2 dt 2 lc rgb "#CC79A7" title "bound (1.62)", \
     $data_0_4 using 1:2 with lines lw 2 dt 2 lc rgb "#E69F00" title "slope -1/2"
set title "Calls to accuracy 0.2 against n"
set xlabel "n"
set ylabel "calls"
set logscale x
set format x "10^{%L}"
set logscale y
set format y "%.1g"
plot $data_1_0 using 1:2:3:4 with yerrorbars pt 7 ps 0.5 lc rgb "#0072B2" title "measured", \
     $data_1_1 using 1:2 with lines lw 2 dt 2 lc rgb "#D55E00" title "linear growth"
set title "Calls to accuracy 0.1 against m"
set xlabel "m"
set ylabel "calls"
set logscale x
set format x "10^{%L}"
set logscale y
set format y "%.1g"
plot $data_2_0 using 1:2:3:4 with yerrorbars pt 7 ps 0.5 lc rgb "#0072B2" title "measured", \
     $data_2_1 using 1:2 with lines lw 2 dt 2 lc rgb "#D55E00" title "linear growth"
unset multiplot
unset output

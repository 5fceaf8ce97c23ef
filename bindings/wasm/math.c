/* The functions of math.h that the engine has as well: with those of wasi-libc guira.wasm was 17 KB larger, most of it
 * tables. They serve to choose a layout from a rate and to predict rates. What a filter does with a key depends on none. */
#define FROM_ENGINE(name) __attribute__((import_module("math"), import_name(#name)))

FROM_ENGINE(exp) double engine_exp(double x);
FROM_ENGINE(expm1) double engine_expm1(double x);
FROM_ENGINE(log) double engine_log(double x);
FROM_ENGINE(log1p) double engine_log1p(double x);
FROM_ENGINE(log2) double engine_log2(double x);
FROM_ENGINE(pow) double engine_pow(double x, double y);

double exp(double x) { return engine_exp(x); }
double expm1(double x) { return engine_expm1(x); }
double log(double x) { return engine_log(x); }
double log1p(double x) { return engine_log1p(x); }
double log2(double x) { return engine_log2(x); }
double pow(double x, double y) { return engine_pow(x, y); }

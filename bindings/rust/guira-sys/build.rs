//! Where libguira is: in the directory GUIRA_LIB_DIR, or where pkg-config says.
use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=GUIRA_LIB_DIR");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    println!("cargo:rustc-link-lib=guira");
    if let Ok(dir) = env::var("GUIRA_LIB_DIR") {
        println!("cargo:rustc-link-search=native={}", dir);
        return;
    }
    let out = Command::new("pkg-config").args(["--libs-only-L", "guira"]).output();
    match out {
        Ok(o) if o.status.success() => {
            for dir in String::from_utf8_lossy(&o.stdout).split_whitespace().filter_map(|w| w.strip_prefix("-L")) {
                println!("cargo:rustc-link-search=native={}", dir);
            }
        }
        _ => println!("cargo:warning=pkg-config does not find guira: install libguira, or set GUIRA_LIB_DIR"),
    }
}

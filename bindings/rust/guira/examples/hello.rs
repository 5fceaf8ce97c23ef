//! The first example: insert, look up, remove.
fn main() -> guira::Result<()> {
    let mut f = guira::Filter::new()?;
    f.insert("ana")?;
    println!("ana {}, bob {}", f.contains("ana"), f.contains("bob"));
    f.remove("ana")?;
    println!("{:?}", f);
    Ok(())
}

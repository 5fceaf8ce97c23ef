// The commands through redis-rs. usage: client port protocol
use redis::{cmd, Connection, RedisResult, Value};

fn copy(c: &mut Connection, family: &str, key: &str) -> RedisResult<()> {
    let mut at = 0i64;
    loop {
        let (position, chunk): (i64, Value) = cmd(&format!("{family}.SCANDUMP")).arg(key).arg(at).query(c)?;
        let Value::BulkString(bytes) = chunk else { return Ok(()) };
        cmd(&format!("{family}.LOADCHUNK")).arg(format!("{key} copy")).arg(position).arg(bytes).query::<()>(c)?;
        at = position;
    }
}

fn main() -> RedisResult<()> {
    let a: Vec<String> = std::env::args().collect();
    let url = format!("redis://127.0.0.1:{}/?protocol=resp{}", a[1], a[2]);
    let mut c: Connection = redis::Client::open(url)?.get_connection()?;
    let (k, b) = (format!("rust cf {}", a[2]), format!("rust bf {}", a[2]));
    assert!(cmd("CLIENT").arg("INFO").query::<String>(&mut c)?.contains(&format!("resp={}", a[2])));
    assert_eq!("OK", cmd("CF.RESERVE").arg(&k).arg(1000).query::<String>(&mut c)?);
    assert!(cmd("CF.ADD").arg(&k).arg("a").query::<bool>(&mut c)?);
    assert!(!cmd("CF.ADDNX").arg(&k).arg("a").query::<bool>(&mut c)?);
    assert_eq!(vec![true, true], cmd("CF.INSERT").arg(&k).arg("ITEMS").arg("b").arg("c").query::<Vec<bool>>(&mut c)?);
    assert_eq!(vec![true, false], cmd("CF.MEXISTS").arg(&k).arg("a").arg("z").query::<Vec<bool>>(&mut c)?);
    assert_eq!(1, cmd("CF.COUNT").arg(&k).arg("a").query::<i64>(&mut c)?);
    let info: std::collections::HashMap<String, i64> = cmd("CF.INFO").arg(&k).query(&mut c)?;
    assert_eq!((8, 3), (info.len(), info["Number of items inserted"]));
    copy(&mut c, "CF", &k)?;
    assert!(cmd("CF.DEL").arg(&k).arg("a").query::<bool>(&mut c)?);
    assert!(cmd("CF.EXISTS").arg(format!("{k} copy")).arg("b").query::<bool>(&mut c)?);
    cmd("BF.RESERVE").arg(&b).arg(0.001).arg(1000).query::<()>(&mut c)?;
    assert_eq!(vec![true, false], cmd("BF.MADD").arg(&b).arg("a").arg("a").query::<Vec<bool>>(&mut c)?);
    assert_eq!(1, cmd("BF.CARD").arg(&b).query::<i64>(&mut c)?);
    copy(&mut c, "BF", &b)?;
    assert!(cmd("BF.EXISTS").arg(format!("{b} copy")).arg("a").query::<bool>(&mut c)?);
    Ok(())
}

// The commands through redis-rs. usage: client port protocol
use redis::{cmd, Connection, RedisResult, Value};

fn main() -> RedisResult<()> {
    let a: Vec<String> = std::env::args().collect();
    let url = format!("redis://127.0.0.1:{}/?protocol=resp{}", a[1], a[2]);
    let mut c: Connection = redis::Client::open(url)?.get_connection()?;
    let (k, b) = (format!("rust cf {}", a[2]), format!("rust bf {}", a[2]));
    let copy = format!("{k} copy");
    assert_eq!("OK", cmd("CF.RESERVE").arg(&k).arg(1000).query::<String>(&mut c)?);
    assert!(cmd("CF.ADD").arg(&k).arg("a").query::<bool>(&mut c)?);
    assert!(!cmd("CF.ADDNX").arg(&k).arg("a").query::<bool>(&mut c)?);
    assert_eq!(vec![true, true], cmd("CF.INSERT").arg(&k).arg("ITEMS").arg("b").arg("c").query::<Vec<bool>>(&mut c)?);
    assert_eq!(vec![true, false], cmd("CF.MEXISTS").arg(&k).arg("a").arg("z").query::<Vec<bool>>(&mut c)?);
    assert_eq!(1, cmd("CF.COUNT").arg(&k).arg("a").query::<i64>(&mut c)?);
    let info: std::collections::HashMap<String, i64> = cmd("CF.INFO").arg(&k).query(&mut c)?;
    assert_eq!((8, 3), (info.len(), info["Number of items inserted"]));
    let mut at = 0i64;
    loop {
        let (position, chunk): (i64, Value) = cmd("CF.SCANDUMP").arg(&k).arg(at).query(&mut c)?;
        let Value::BulkString(bytes) = chunk else { break };
        cmd("CF.LOADCHUNK").arg(&copy).arg(position).arg(bytes).query::<()>(&mut c)?;
        at = position;
    }
    assert!(cmd("CF.EXISTS").arg(&copy).arg("b").query::<bool>(&mut c)?);
    cmd("BF.RESERVE").arg(&b).arg(0.001).arg(1000).query::<()>(&mut c)?;
    assert_eq!(vec![true, false], cmd("BF.MADD").arg(&b).arg("a").arg("a").query::<Vec<bool>>(&mut c)?);
    assert_eq!(1, cmd("BF.CARD").arg(&b).query::<i64>(&mut c)?);
    Ok(())
}

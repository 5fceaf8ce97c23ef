// The commands through go-redis. usage: client port protocol
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

func check(what string, good bool, err error) {
	if err != nil || !good {
		fmt.Fprintln(os.Stderr, what, err)
		os.Exit(1)
	}
}

func main() {
	ctx := context.Background()
	protocol, _ := strconv.Atoi(os.Args[2])
	c := redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + os.Args[1], Protocol: protocol, UnstableResp3: true})
	connection, err := c.Do(ctx, "CLIENT", "INFO").Text()
	check("CLIENT INFO", strings.Contains(connection, "resp="+os.Args[2]), err)
	k, b := "go cf "+os.Args[2], "go bf "+os.Args[2]
	s, err := c.CFReserveWithArgs(ctx, k, &redis.CFReserveOptions{Capacity: 1000, BucketSize: 4, MaxIterations: 30, Expansion: 2}).Result()
	check("CF.RESERVE", s == "OK", err)
	yes, err := c.CFAdd(ctx, k, "a").Result()
	check("CF.ADD", yes, err)
	yes, err = c.CFAddNX(ctx, k, "a").Result()
	check("CF.ADDNX", !yes, err)
	many, err := c.CFInsert(ctx, k, &redis.CFInsertOptions{NoCreate: true}, "b", "c").Result()
	check("CF.INSERT", len(many) == 2 && many[0] && many[1], err)
	numbers, err := c.CFInsertNX(ctx, k, &redis.CFInsertOptions{}, "b", "d").Result()
	check("CF.INSERTNX", len(numbers) == 2 && numbers[0] == 0 && numbers[1] == 1, err)
	many, err = c.CFMExists(ctx, k, "a", "z").Result()
	check("CF.MEXISTS", len(many) == 2 && many[0] && !many[1], err)
	n, err := c.CFCount(ctx, k, "a").Result()
	check("CF.COUNT", n == 1, err)
	yes, err = c.CFDel(ctx, k, "a").Result()
	check("CF.DEL", yes, err)
	info, err := c.CFInfo(ctx, k).Result()
	check("CF.INFO", info.NumItemsInserted == 3 && info.NumItemsDeleted == 1 && info.BucketSize == 4 && info.ExpansionRate == 2, err)
	for at := int64(0); ; {
		chunk, err := c.CFScanDump(ctx, k, at).Result()
		if err == redis.Nil || (err == nil && chunk.Iter == 0) {
			break
		}
		check("CF.SCANDUMP", true, err)
		s, err = c.CFLoadChunk(ctx, k+" copy", chunk.Iter, chunk.Data).Result()
		check("CF.LOADCHUNK", s == "OK", err)
		at = chunk.Iter
	}
	yes, err = c.CFExists(ctx, k+" copy", "b").Result()
	check("CF.EXISTS", yes, err)
	s, err = c.BFReserve(ctx, b, 0.001, 1000).Result()
	check("BF.RESERVE", s == "OK", err)
	yes, err = c.BFAdd(ctx, b, "a").Result()
	check("BF.ADD", yes, err)
	many, err = c.BFMAdd(ctx, b, "a", "b").Result()
	check("BF.MADD", len(many) == 2 && !many[0] && many[1], err)
	many, err = c.BFMExists(ctx, b, "a", "z").Result()
	check("BF.MEXISTS", len(many) == 2 && many[0] && !many[1], err)
	n, err = c.BFCard(ctx, b).Result()
	check("BF.CARD", n == 2, err)
	bloom, err := c.BFInfo(ctx, b).Result()
	check("BF.INFO", bloom.ItemsInserted == 2 && bloom.Filters == 1 && bloom.ExpansionRate == 2, err)
	for at := int64(0); ; {
		chunk, err := c.BFScanDump(ctx, b, at).Result()
		if err == redis.Nil || (err == nil && chunk.Iter == 0) {
			break
		}
		check("BF.SCANDUMP", true, err)
		s, err = c.BFLoadChunk(ctx, b+" copy", chunk.Iter, chunk.Data).Result()
		check("BF.LOADCHUNK", s == "OK", err)
		at = chunk.Iter
	}
	yes, err = c.BFExists(ctx, b+" copy", "b").Result()
	check("BF.EXISTS", yes, err)
}

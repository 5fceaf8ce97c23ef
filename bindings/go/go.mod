module guira

go 1.19

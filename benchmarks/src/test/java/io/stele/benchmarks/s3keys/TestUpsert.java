package io.stele.benchmarks.s3keys;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class TestUpsert {
    private static final List<String> KEYS = List.of("a", "b");
    private static final List<String> COLUMNS = List.of("a", "b", "c", "d");

    @Test
    void isAnInsertOfSteleAndAMergeOfIceberg() {
        assertThat(Upsert.sql(true, "t1", "c1", KEYS, COLUMNS))
                .isEqualTo("INSERT INTO t1 SELECT * FROM c1");
        assertThat(Upsert.sql(false, "t1", "c1", KEYS, COLUMNS))
                .isEqualTo(
                        "MERGE INTO t1 t USING c1 c ON t.a = c.a AND t.b = c.b WHEN MATCHED THEN UPDATE SET c = c.c, d = c.d"
                                + " WHEN NOT MATCHED THEN INSERT VALUES (c.a, c.b, c.c, c.d)");
    }
}

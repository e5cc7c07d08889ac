package io.stele.flink.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class TestSqlScript {
    @Test
    void aStatementEndsWithItsLine() {
        assertThat(
                        SqlScript.statements(
                                """
                                SET 'a' = 'b';
                                CREATE TABLE t (i INT) WITH ('endpoints' = 'one;two', 'more' = '3') ;

                                INSERT INTO t
                                SELECT 1"""))
                .containsExactly(
                        "SET 'a' = 'b'",
                        "CREATE TABLE t (i INT) WITH ('endpoints' = 'one;two', 'more' = '3')",
                        "INSERT INTO t\nSELECT 1");
        assertThat(SqlScript.statements(" \n;\n")).isEmpty();
    }

    @Test
    void aFileMustBeNamed() {
        assertThatThrownBy(() -> SqlScript.main(new String[0]))
                .hasMessage("Expected the path of a file of statements, found 0 arguments");
    }
}

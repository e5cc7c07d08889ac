package io.stele.sidecar.postgresql.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TestStatementSplitter {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 1 WHERE q ILIKE'\\' AND r='; DROP TABLE t; --'",
                "SELECT x_e'\\', '; a'",
                "SELECT a$e'\\', '; a'",
                "SELECT \u00e9e'\\', '; a'",
                "SELECT E'\\'; a', e'\\\\', ';'",
                "SELECT ('a'||E'\\';')",
                "SELECT $tag1$;'$tag1$",
                "SELECT $$;$$, $$;$$",
                "SELECT $$;$$$$;$$",
                "SELECT $1, '$1;$1'",
                "SELECT 'a''; b', \"c;\"\"d\", $_$ ; $_$",
            })
    void oneStatementStaysWhole(String sql) {
        assertThat(StatementSplitter.split(sql)).containsExactly(sql);
        assertThat(StatementSplitter.split(sql + "; SELECT 2")).containsExactly(sql, "SELECT 2");
    }

    @Test
    void dollarsInNamesBeginNoText() {
        assertThat(StatementSplitter.split("SELECT a$b$; SELECT c$b$"))
                .containsExactly("SELECT a$b$", "SELECT c$b$");
        assertThat(StatementSplitter.split("SELECT $1$; SELECT $2$"))
                .containsExactly("SELECT $1$", "SELECT $2$");
        assertThat(StatementSplitter.split("SELECT $1a$; SELECT $1a$"))
                .containsExactly("SELECT $1a$", "SELECT $1a$");
    }

    @Test
    void commentsAreSpaces() {
        assertThat(StatementSplitter.split("SELECT/* ; /* ; */ */1 -- ;\n, e'\\' -- ' ; ;"))
                .isEqualTo(List.of("SELECT 1  \n, e'\\' -- '"));
    }

    @Test
    void parenthesesInTextsDoNotCount() {
        String sql = "(E'\\')' LIKE'\\)' (1))";
        assertThat(StatementSplitter.closing("(E'\\')' || (1))", 0)).isEqualTo(14);
        assertThat(StatementSplitter.closing("(a LIKE'\\', (1))", 0)).isEqualTo(15);
        assertThat(StatementSplitter.closing("((1)", 0)).isEqualTo(-1);
        assertThat(StatementSplitter.closing(sql, 0)).isEqualTo(sql.length() - 1);
    }
}

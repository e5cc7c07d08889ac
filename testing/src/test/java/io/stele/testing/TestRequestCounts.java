package io.stele.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.testing.RequestCounts.Kind;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class TestRequestCounts {
    private final RequestCounts counts = new RequestCounts();

    @Test
    void byFolderOfTheKey() throws IOException {
        add("PUT /warehouse/stele/data/1/0-0/a.orc");
        add("PUT /warehouse/iceberg/data/a.parquet?partNumber=1&uploadId=7");
        add("PUT /warehouse/stele2/a");
        assertThat(counts.count("stele", Kind.WRITE)).isEqualTo(1);
        assertThat(counts.count("iceberg", Kind.WRITE)).isEqualTo(1);
        assertThat(counts.count("other", Kind.WRITE)).isZero();
    }

    @Test
    void byWhatTheyCost() throws IOException {
        add("GET /warehouse/stele/data/a.orc");
        add("HEAD /warehouse/stele/data/a.orc");
        add("GET /warehouse?list-type=2&prefix=stele%2Fdata%2F");
        add("GET /warehouse/?prefix=stele/txn&list-type=2");
        add("POST /warehouse/stele/data/a.orc?uploads");
        add("POST /warehouse/stele/data/a.orc?uploadId=7");
        add("DELETE /warehouse/stele/data/a.orc");
        assertThat(counts.count("stele", Kind.READ)).isEqualTo(2);
        assertThat(counts.count("stele", Kind.LIST)).isEqualTo(2);
        assertThat(counts.count("stele", Kind.WRITE)).isEqualTo(2);
        assertThat(counts.count("stele", Kind.DELETE)).isEqualTo(1);
    }

    @Test
    void foldersHaveALimit() throws IOException {
        for (int i = 0; i < 2_000; i++) {
            add("PUT /warehouse/" + i + "/a");
        }
        assertThat(counts.count("999", Kind.WRITE)).isEqualTo(1);
        assertThat(counts.count("1000", Kind.WRITE)).isZero();
    }

    private void add(String request) throws IOException {
        counts.add(new HttpHead(request + " HTTP/1.1", List.of()));
    }
}

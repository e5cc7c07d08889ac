package io.stele.engine.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.columnfile.orc.ColumnRow;
import org.junit.jupiter.api.Test;

class TestPrefetched {
    @Test
    void rowsBeyondItsLimitAreLeftToTheirLookups() {
        Prefetched rows = new Prefetched();
        byte[] mebibyte = new byte[1 << 20];
        int room = (int) (Prefetched.MAX_BYTES / mebibyte.length);
        for (int i = 0; i < room + 3; i++) {
            assertThat(rows.isFull()).isEqualTo(i >= room);
            rows.add("a", new ColumnRow(i, 1, i, mebibyte));
        }
        assertThat(rows.find("a", room - 1)).isPresent();
        assertThat(rows.find("a", room)).isEmpty();
        assertThat(rows.find("b", 0)).isEmpty();
    }
}

package io.stele.engine.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.TableId;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TestLoadedFiles {
    private static final byte[] ROW = new byte[100];

    private static byte[] batch(int rows) {
        WriteBatchBuilder batch = new WriteBatchBuilder(new TableId(1), 1);
        for (int i = 0; i < rows; i++) {
            batch.append(ROW);
        }
        return batch.toByteArray();
    }

    /** Rows are cut with the objects that sort them. */
    @Test
    void rowsOfATaskAreBounded() {
        byte[] small = batch(1);
        byte[] large = batch(20);
        List<byte[]> batches = List.of(small, small, large, small);
        assertThat(LoadedFiles.cut(batches, 64, Long.MAX_VALUE)).containsExactly(batches);
        assertThat(LoadedFiles.cut(batches, 0, 1_000))
                .containsExactly(List.of(small, small), List.of(large), List.of(small));
        assertThat(LoadedFiles.cut(batches, 1_000, 2_000))
                .containsExactly(List.of(small), List.of(small), List.of(large), List.of(small));
        assertThat(LoadedFiles.cut(List.of(), 64, 1)).isEmpty();
    }
}

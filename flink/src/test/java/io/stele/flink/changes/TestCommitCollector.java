package io.stele.flink.changes;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.Lsn;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.junit.jupiter.api.Test;

/** Chunks have whole commits, or say that they have not. */
final class TestCommitCollector {
    private static final int ROW_BYTES = 900;
    private static final long MAX_BYTES = 4_000; // of four rows with their overhead

    private final List<ChangeChunk> chunks = new ArrayList<>();
    private final CommitCollector collector =
            new CommitCollector(3, new Lsn(1), MAX_BYTES, chunks::add);
    private long next;

    private void add(long lsn, int count) {
        for (int i = 0; i < count; i++) {
            collector.accept(GenericRowData.of(next++), new Lsn(lsn), ROW_BYTES);
        }
    }

    private static List<Long> values(List<ChangeChunk> chunks) {
        List<Long> values = new ArrayList<>();
        for (ChangeChunk chunk : chunks) {
            for (RowData row : chunk.rows()) {
                values.add(row.getLong(0));
            }
        }
        return values;
    }

    private static List<Long> upTo(long end) {
        return LongStream.range(0, end).boxed().toList();
    }

    @Test
    void smallCommitsShareAChunk() {
        add(10, 1);
        collector.endCommit(new Lsn(10));
        add(11, 2);
        collector.endCommit(new Lsn(12));
        assertThat(chunks).isEmpty();
        collector.flush();
        assertThat(chunks).hasSize(1);
        ChangeChunk chunk = chunks.get(0);
        assertThat(chunk.shard()).isEqualTo(3);
        assertThat(chunk.isWhole()).isTrue();
        assertThat(chunk.position()).isEqualTo(new Lsn(12));
        assertThat(chunk.lsns()).containsExactly(10, 11, 11);
        assertThat(values(chunks)).isEqualTo(upTo(3));
        collector.flush();
        assertThat(chunks).hasSize(1);
    }

    @Test
    void aBrokenCommitIsDroppedAndEarlierOnesStay() {
        add(10, 1);
        collector.endCommit(new Lsn(10));
        add(11, 1);
        assertThat(collector.dropCommit()).isTrue();
        next -= 1;
        add(11, 3);
        collector.endCommit(new Lsn(11));
        collector.flush();
        assertThat(values(chunks)).isEqualTo(upTo(4));
        assertThat(chunks.get(0).lsns()).containsExactly(10, 11, 11, 11);
    }

    @Test
    void earlierCommitsGoBeforeTheirSuccessorGrows() {
        add(10, 3);
        collector.endCommit(new Lsn(10));
        add(11, 3);
        assertThat(chunks).hasSize(1);
        assertThat(chunks.get(0).position()).isEqualTo(new Lsn(10));
        assertThat(chunks.get(0).rows()).hasSize(3);
        assertThat(collector.dropCommit()).isTrue();
    }

    @Test
    void aLargeCommitGoesInPartsAndCannotBeDropped() {
        add(10, 1);
        collector.endCommit(new Lsn(10));
        add(11, 11);
        assertThat(collector.dropCommit()).isFalse();
        assertThat(chunks).extracting(ChangeChunk::isWhole).startsWith(true, false, false);
    }

    @Test
    void theLastPartEndsTheCommit() {
        add(11, 9);
        collector.endCommit(new Lsn(15));
        assertThat(chunks).extracting(ChangeChunk::isWhole).containsExactly(false, false, true);
        assertThat(chunks.get(2).position()).isEqualTo(new Lsn(15));
        assertThat(values(chunks)).isEqualTo(upTo(9));
        add(16, 1);
        assertThat(collector.dropCommit()).isTrue();
    }
}

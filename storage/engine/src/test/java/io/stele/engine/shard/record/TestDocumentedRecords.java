package io.stele.engine.shard.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.shard.record.TransactionRecords.Commit;
import io.stele.engine.shard.record.TransactionRecords.Outcome;
import io.stele.engine.shard.record.TransactionRecords.Prepare;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.protocol.wire.WriteBatchReader;
import io.stele.testing.DocumentedExample;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The bytes that docs/format.md and docs/protocol.md show are those that are written. */
final class TestDocumentedRecords {
    private static final UUID WRITER = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");

    @Test
    void recordsOfTheLog() throws IOException {
        byte[] written = upsertAndDelete().toByteArray();
        WriteBatchBuilder delete = new WriteBatchBuilder(new TableId(7), 3);
        delete.delete(new byte[] {5});
        Prepare prepare =
                new Prepare(
                        "t-1",
                        Optional.of(new Lsn(9)),
                        List.of(),
                        List.of(ByteBuffer.wrap(delete.toByteArray())));
        Outcome outcome = new Outcome("t-1", true, Map.of(new TableId(7), 100L), Map.of());
        Commit commit =
                new Commit(
                        "t-1", true, List.of(new WriteBatchReader(delete.toByteArray())), Map.of());
        assertThat(documented("docs/format.md"))
                .containsExactly(
                        TestWriteRecordFormat.hex(
                                WriteRecord.encode(
                                        WRITER,
                                        5,
                                        WriteRecord.NO_ROW_ID,
                                        0,
                                        written,
                                        0,
                                        written.length)),
                        TestWriteRecordFormat.hex(TransactionRecords.encode(prepare)),
                        TestWriteRecordFormat.hex(TransactionRecords.encode(outcome)),
                        TestWriteRecordFormat.hex(TransactionRecords.encode(commit)));
    }

    @Test
    void aWriteBatch() throws IOException {
        WriteBatchBuilder batch = upsertAndDelete();
        batch.append(new byte[] {6});
        assertThat(documented("docs/protocol.md"))
                .containsExactly(HexFormat.of().formatHex(batch.toByteArray()));
    }

    private static WriteBatchBuilder upsertAndDelete() {
        WriteBatchBuilder batch = new WriteBatchBuilder(new TableId(7), 3);
        batch.upsert(new byte[] {1, 2}, new byte[] {9, 8, 7});
        batch.delete(new byte[] {5});
        return batch;
    }

    private static List<String> documented(String page) throws IOException {
        return DocumentedExample.of(page, "hex").stream()
                .map(example -> example.text().replaceAll("[ |\n]", "").toLowerCase(Locale.ROOT))
                .toList();
    }
}

package io.stele.engine.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import io.stele.protocol.api.scan.IndexedMetadata;
import io.stele.protocol.predicate.ColumnSketch;
import io.stele.protocol.schema.SchemaJson;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class TestFileEntry {
    @Test
    void keyRangeDecides() {
        FileEntry file =
                entry(10, 1, 2, Optional.of(new byte[] {5}), Optional.of(new byte[] {(byte) 0x90}));
        assertThat(file.mayContain(new byte[] {5})).isTrue();
        assertThat(file.mayContain(new byte[] {(byte) 0x80, 1})).isTrue();
        assertThat(file.mayContain(new byte[] {4})).isFalse();
        assertThat(file.mayContain(new byte[] {(byte) 0x90, 0})).isFalse();
        assertThat(entry(10, 1, 2, Optional.empty(), Optional.empty()).mayContain(new byte[] {4}))
                .isTrue();
    }

    @Test
    void ingestGivesEveryRowOneLsn() {
        FileEntry file =
                entry(10, 0, 0, Optional.empty(), Optional.empty())
                        .withIngest(new Lsn(42), OptionalLong.of(7));
        assertThat(file.minLsn()).isEqualTo(new Lsn(42));
        assertThat(file.maxLsn()).isEqualTo(new Lsn(42));
        assertThat(file.ingestLsn()).contains(new Lsn(42));
        assertThat(file.firstRowId()).hasValue(7);
    }

    /** The mark is for the log: what is committed has no duplicate keys any more. */
    @Test
    void insertionsAreMarkedUntilTheirCommit() throws IOException {
        ObjectMapper mapper = SchemaJson.mapper();
        FileEntry file = entry(10, 0, 0, Optional.empty(), Optional.empty());
        assertThat(mapper.writeValueAsString(file)).doesNotContain("isInsertion");
        String json = mapper.writeValueAsString(file.asInsertion());
        FileEntry read = mapper.readValue(json, FileEntry.class);
        assertThat(read.isInsertion()).isTrue();
        assertThat(read.withIngest(new Lsn(42), OptionalLong.empty()).isInsertion()).isFalse();
    }

    @Test
    void deletedRowsAreCounted() {
        FileEntry file = entry(10, 1, 2, Optional.empty(), Optional.empty());
        assertThat(file.undeletedRowCount()).isEqualTo(10);
        assertThat(
                        file.withDeletionVector(
                                        Optional.of(new DeletionVectorFile("d", 9, 4, new Lsn(5))))
                                .undeletedRowCount())
                .isEqualTo(6);
    }

    @Test
    void sketchesAreInTheManifestWhereThereAreAny() throws IOException {
        FileEntry without = entry(10, 1, 2, Optional.empty(), Optional.empty());
        String json = SchemaJson.mapper().writeValueAsString(without);
        assertThat(json).doesNotContain("sketches");
        assertThat(SchemaJson.mapper().readValue(json, FileEntry.class).sketches().isEmpty())
                .isTrue();

        Map<Integer, ColumnSketch> sketches = Map.of(3, new ColumnSketch(new byte[] {1, 2}, 7));
        FileEntry with = without.withSketches(sketches).withLevel(2);
        assertThat(with.sketches().inMemory()).isEqualTo(sketches);
        FileEntry read =
                SchemaJson.mapper()
                        .readValue(SchemaJson.mapper().writeValueAsString(with), FileEntry.class);
        assertThat(read.sketches().inMemory()).isEqualTo(sketches);
    }

    /** Where they are not, manifests are as those of earlier versions. */
    @Test
    void metadataOfKeyIndexesAreInTheManifestWhereThereAreAny() throws IOException {
        ObjectMapper mapper = SchemaJson.mapper();
        KeyIndexFile without = new KeyIndexFile("data/1/0-0/f.idx", 512);
        String json = mapper.writeValueAsString(without);
        assertThat(json).isEqualTo("{\"path\":\"data/1/0-0/f.idx\",\"sizeBytes\":512}");
        assertThat(mapper.readValue(json, KeyIndexFile.class)).isEqualTo(without);

        KeyIndexFile with = new KeyIndexFile("data/1/0-0/f.idx", 512, OptionalInt.of(99));
        json = mapper.writeValueAsString(with);
        assertThat(json)
                .isEqualTo(
                        "{\"path\":\"data/1/0-0/f.idx\",\"sizeBytes\":512,\"metadataBytes\":99}");
        assertThat(mapper.readValue(json, KeyIndexFile.class)).isEqualTo(with);
        FileEntry file = entry(with);
        assertThat(file.indexedMetadata()).contains(new IndexedMetadata(512, 99));
        assertThat(file.immutablePaths()).containsExactly("data/1/0-0/f.orc", "data/1/0-0/f.idx");
        assertThat(
                        mapper.readValue(mapper.writeValueAsString(file), FileEntry.class)
                                .indexedMetadata())
                .isEqualTo(file.indexedMetadata());
        for (int bytes : new int[] {-1, 0, 513}) {
            assertThatThrownBy(
                            () -> new KeyIndexFile("data/1/0-0/f.idx", 512, OptionalInt.of(bytes)))
                    .hasMessageContaining("1 to 512 bytes of metadata")
                    .hasMessageContaining("found " + bytes);
        }
        assertThatThrownBy(() -> entry(new KeyIndexFile("other.idx", 512, OptionalInt.of(9))))
                .hasMessageContaining("data/1/0-0/f.idx, found other.idx");
    }

    @Test
    void nonsenseIsRefused() {
        assertThatThrownBy(() -> entry(0, 1, 2, Optional.empty(), Optional.empty()))
                .hasMessageContaining("row count");
        assertThatThrownBy(() -> entry(1, 3, 2, Optional.empty(), Optional.empty()))
                .hasMessageContaining("3 and 2");
        assertThatThrownBy(() -> entry(1, 1, 2, Optional.of(new byte[1]), Optional.empty()))
                .hasMessageContaining("both of minKey and maxKey");
        assertThatThrownBy(
                        () ->
                                entry(
                                        1,
                                        1,
                                        2,
                                        Optional.of(new byte[] {2}),
                                        Optional.of(new byte[] {1})))
                .hasMessageContaining("minKey <= maxKey");
    }

    private static FileEntry entry(
            long rowCount,
            long minLsn,
            long maxLsn,
            Optional<byte[]> minKey,
            Optional<byte[]> maxKey) {
        return entry(rowCount, minLsn, maxLsn, minKey, maxKey, Optional.empty());
    }

    private static FileEntry entry(KeyIndexFile keyIndex) {
        return entry(10, 1, 2, Optional.empty(), Optional.empty(), Optional.of(keyIndex));
    }

    private static FileEntry entry(
            long rowCount,
            long minLsn,
            long maxLsn,
            Optional<byte[]> minKey,
            Optional<byte[]> maxKey,
            Optional<KeyIndexFile> keyIndex) {
        return new FileEntry(
                "f",
                new TableId(1),
                FileKind.COLUMN,
                0,
                "data/1/0-0/f.orc",
                100,
                rowCount,
                new Lsn(minLsn),
                new Lsn(maxLsn),
                Optional.empty(),
                OptionalLong.empty(),
                1,
                minKey,
                maxKey,
                Optional.empty(),
                Map.of(),
                keyIndex,
                Optional.empty());
    }
}

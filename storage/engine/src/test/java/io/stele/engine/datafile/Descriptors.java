package io.stele.engine.datafile;

import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileKind;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Entries of files that are not there, for policies, which look at nothing else. */
public final class Descriptors {
    private Descriptors() {}

    /** A file with keys of four bytes, and a row for every ten bytes. */
    public static FileEntry file(
            FileKind kind, String id, int level, int minKey, int maxKey, long sizeBytes) {
        return new FileEntry(
                id,
                new TableId(1),
                kind,
                level,
                "data/" + id,
                sizeBytes,
                Math.max(1, sizeBytes / 10),
                new Lsn(1),
                new Lsn(100),
                Optional.empty(),
                OptionalLong.empty(),
                1,
                Optional.of(key(minKey)),
                Optional.of(key(maxKey)),
                Optional.empty(),
                Map.of(),
                Optional.empty(),
                Optional.empty());
    }

    public static byte[] key(int value) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
    }
}

package io.stele.protocol.wire;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The payload of a MULTI_GET frame, a lookup of rows by encoded primary keys: {@code table id 8 |
 * schema version 4 | has read lsn 1 | read lsn 8 | key count 4 | keys}. A key is a varint length
 * and its bytes. Without a read LSN the newest rows are read.
 */
public record MultiGet(
        TableId tableId, int schemaVersion, Optional<Lsn> readLsn, List<byte[]> keys) {
    public MultiGet {
        requireNonNull(tableId, "tableId is null");
        requireNonNull(readLsn, "readLsn is null");
        keys = List.copyOf(keys);
        if (keys.isEmpty() || keys.size() > WireLimits.MAX_KEYS) {
            throw new IllegalArgumentException(
                    "Expected from 1 to " + WireLimits.MAX_KEYS + " keys, found " + keys.size());
        }
    }

    public byte[] encode() {
        int size = 25;
        for (byte[] key : keys) {
            size += key.length + Varint.MAX_BYTES;
        }
        PayloadWriter writer =
                new PayloadWriter(size)
                        .putLong(tableId.value())
                        .putInt(schemaVersion)
                        .putByte(readLsn.isPresent() ? 1 : 0)
                        .putLong(readLsn.orElse(Lsn.MIN).value())
                        .putInt(keys.size());
        for (byte[] key : keys) {
            writer.putVarint(key.length).putBytes(key, 0, key.length);
        }
        return writer.toByteArray();
    }

    public static MultiGet decode(Frame frame) {
        PayloadReader reader = new PayloadReader(FrameType.MULTI_GET, frame);
        TableId tableId = reader.getTableId();
        int schemaVersion = reader.getInt("schema version");
        boolean hasLsn = reader.getByte("has read lsn") != 0;
        Lsn lsn = reader.getLsn("read lsn");
        int count = reader.getInt("key count");
        if (count < 1 || count > WireLimits.MAX_KEYS) {
            throw reader.malformed("from 1 to " + WireLimits.MAX_KEYS + " keys", count);
        }
        List<byte[]> keys = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int length = reader.getVarint("key length");
            if (length > WireLimits.MAX_KEY_BYTES) {
                throw reader.malformed(
                        "a key of at most " + WireLimits.MAX_KEY_BYTES + " bytes", length);
            }
            keys.add(reader.getBytes("key", length));
        }
        reader.end();
        return new MultiGet(
                tableId, schemaVersion, hasLsn ? Optional.of(lsn) : Optional.empty(), keys);
    }
}

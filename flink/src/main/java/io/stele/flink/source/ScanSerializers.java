package io.stele.flink.source;

import io.stele.protocol.Lsn;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** The bytes of splits and of the progress of a scan, in checkpoints and on the wire. */
final class ScanSerializers {
    private static final int VERSION = 1;

    private ScanSerializers() {}

    private static void check(int version) throws IOException {
        if (version != VERSION) {
            throw new IOException(
                    "Expected the state of a scan of version %d, found %d"
                            .formatted(VERSION, version));
        }
    }

    static final class OfSplits implements SimpleVersionedSerializer<ShardSplit> {
        @Override
        public int getVersion() {
            return VERSION;
        }

        @Override
        public byte[] serialize(ShardSplit split) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream output = new DataOutputStream(bytes);
            output.writeInt(split.shard());
            output.writeUTF(split.snapshotId());
            output.writeLong(split.readLsn().value());
            return bytes.toByteArray();
        }

        @Override
        public ShardSplit deserialize(int version, byte[] serialized) throws IOException {
            check(version);
            DataInputStream input = new DataInputStream(new ByteArrayInputStream(serialized));
            return new ShardSplit(input.readInt(), input.readUTF(), new Lsn(input.readLong()));
        }
    }

    static final class OfProgress implements SimpleVersionedSerializer<ScanProgress> {
        @Override
        public int getVersion() {
            return VERSION;
        }

        @Override
        public byte[] serialize(ScanProgress progress) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream output = new DataOutputStream(bytes);
            output.writeBoolean(progress.snapshot().isPresent());
            if (progress.snapshot().isPresent()) {
                output.writeUTF(progress.snapshot().get().id());
                output.writeLong(progress.snapshot().get().lsn().value());
            }
            output.writeInt(progress.shards().size());
            for (int shard : progress.shards()) {
                output.writeInt(shard);
            }
            return bytes.toByteArray();
        }

        @Override
        public ScanProgress deserialize(int version, byte[] serialized) throws IOException {
            check(version);
            DataInputStream input = new DataInputStream(new ByteArrayInputStream(serialized));
            Optional<OpenSnapshot> snapshot =
                    input.readBoolean()
                            ? Optional.of(
                                    new OpenSnapshot(input.readUTF(), new Lsn(input.readLong())))
                            : Optional.empty();
            int count = input.readInt();
            List<Integer> shards = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                shards.add(input.readInt());
            }
            return new ScanProgress(snapshot, shards);
        }
    }
}

package io.stele.flink.changes;

import io.stele.flink.source.OpenSnapshot;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** The bytes of splits and of the progress of a source of changes, in checkpoints and messages. */
final class ChangeSerializers {
    private static final int VERSION = 1;

    private ChangeSerializers() {}

    private static void check(int version) throws IOException {
        if (version != VERSION) {
            throw new IOException(
                    "Expected the state of a source of changes of version %d, found %d"
                            .formatted(VERSION, version));
        }
    }

    private static void write(ChangeSplit split, DataOutputStream output) throws IOException {
        output.writeLong(split.tableId().value());
        output.writeInt(split.shard());
        output.writeLong(split.position().value());
        output.writeBoolean(split.readsSnapshot());
    }

    private static ChangeSplit readSplit(DataInputStream input) throws IOException {
        return new ChangeSplit(
                new TableId(input.readLong()),
                input.readInt(),
                new Lsn(input.readLong()),
                input.readBoolean());
    }

    static final class OfSplits implements SimpleVersionedSerializer<ChangeSplit> {
        @Override
        public int getVersion() {
            return VERSION;
        }

        @Override
        public byte[] serialize(ChangeSplit split) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            write(split, new DataOutputStream(bytes));
            return bytes.toByteArray();
        }

        @Override
        public ChangeSplit deserialize(int version, byte[] serialized) throws IOException {
            check(version);
            return readSplit(new DataInputStream(new ByteArrayInputStream(serialized)));
        }
    }

    static final class OfProgress implements SimpleVersionedSerializer<ChangeProgress> {
        @Override
        public int getVersion() {
            return VERSION;
        }

        @Override
        public byte[] serialize(ChangeProgress progress) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream output = new DataOutputStream(bytes);
            output.writeBoolean(progress.isBegun());
            output.writeBoolean(progress.held().isPresent());
            if (progress.held().isPresent()) {
                output.writeUTF(progress.held().get().id());
                output.writeLong(progress.held().get().lsn().value());
            }
            output.writeInt(progress.splits().size());
            for (ChangeSplit split : progress.splits()) {
                write(split, output);
            }
            return bytes.toByteArray();
        }

        @Override
        public ChangeProgress deserialize(int version, byte[] serialized) throws IOException {
            check(version);
            DataInputStream input = new DataInputStream(new ByteArrayInputStream(serialized));
            boolean isBegun = input.readBoolean();
            Optional<OpenSnapshot> held =
                    input.readBoolean()
                            ? Optional.of(
                                    new OpenSnapshot(input.readUTF(), new Lsn(input.readLong())))
                            : Optional.empty();
            int count = input.readInt();
            List<ChangeSplit> splits = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                splits.add(readSplit(input));
            }
            return new ChangeProgress(isBegun, held, splits);
        }
    }
}

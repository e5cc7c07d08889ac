package io.stele.paimon.write;

import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.paimon.io.CompactIncrement;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.io.DataFilePathFactory;
import org.apache.paimon.io.DataIncrement;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.table.sink.CommitMessageSerializer;

/**
 * The encoding of Paimon's commit messages, by which workers report written files to the commit,
 * and the deletion of files that are not committed. Stateless.
 */
final class WriteMessages {
    private WriteMessages() {}

    static Collection<Slice> encode(List<CommitMessage> messages) {
        CommitMessageSerializer serializer = new CommitMessageSerializer();
        List<Slice> encoded = new ArrayList<>();
        try {
            for (CommitMessage message : messages) {
                if (!((CommitMessageImpl) message).isEmpty()) {
                    encoded.add(Slices.wrappedBuffer(serializer.serialize(message)));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return encoded;
    }

    static List<CommitMessage> decode(Collection<Slice> fragments) {
        CommitMessageSerializer serializer = new CommitMessageSerializer();
        List<CommitMessage> messages = new ArrayList<>();
        try {
            for (Slice fragment : fragments) {
                messages.add(serializer.deserialize(serializer.getVersion(), fragment.getBytes()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return messages;
    }

    /** The messages of rows that the statement wrote, without compactions. */
    static List<CommitMessage> written(List<CommitMessage> messages) {
        return messages.stream()
                .map(CommitMessageImpl.class::cast)
                .filter(message -> !message.newFilesIncrement().isEmpty())
                .map(
                        message ->
                                (CommitMessage)
                                        new CommitMessageImpl(
                                                message.partition(),
                                                message.bucket(),
                                                message.totalBuckets(),
                                                message.newFilesIncrement(),
                                                CompactIncrement.emptyIncrement()))
                .toList();
    }

    /** The messages of compactions by the statement's writers. */
    static List<CommitMessage> compacted(List<CommitMessage> messages) {
        return messages.stream()
                .map(CommitMessageImpl.class::cast)
                .filter(message -> !message.compactIncrement().isEmpty())
                .map(
                        message ->
                                (CommitMessage)
                                        new CommitMessageImpl(
                                                message.partition(),
                                                message.bucket(),
                                                message.totalBuckets(),
                                                DataIncrement.emptyIncrement(),
                                                message.compactIncrement()))
                .toList();
    }

    /**
     * Deletes the files of messages that are not committed, and never will be. A compaction that
     * moves a file to another level names the file itself as its result, which is not deleted,
     * since a snapshot may have it.
     */
    static void discard(FileStoreTable table, List<CommitMessage> messages) {
        for (CommitMessage each : messages) {
            CommitMessageImpl message = (CommitMessageImpl) each;
            DataFilePathFactory paths =
                    table.store()
                            .pathFactory()
                            .createDataFilePathFactory(message.partition(), message.bucket());
            CompactIncrement compact = message.compactIncrement();
            Set<String> before =
                    compact.compactBefore().stream()
                            .map(DataFileMeta::fileName)
                            .collect(Collectors.toSet());
            List<DataFileMeta> files = new ArrayList<>(message.newFilesIncrement().newFiles());
            files.addAll(message.newFilesIncrement().changelogFiles());
            compact.compactAfter().stream()
                    .filter(file -> !before.contains(file.fileName()))
                    .forEach(files::add);
            files.addAll(compact.changelogFiles());
            for (DataFileMeta file : files) {
                file.collectFiles(paths).forEach(table.fileIO()::deleteQuietly);
            }
            message.newFilesIncrement().newIndexFiles().stream()
                    .map(
                            table.store()
                                            .pathFactory()
                                            .indexFileFactory(message.partition(), message.bucket())
                                    ::toPath)
                    .forEach(table.fileIO()::deleteQuietly);
            compact.newIndexFiles().stream()
                    .map(
                            table.store()
                                            .pathFactory()
                                            .indexFileFactory(message.partition(), message.bucket())
                                    ::toPath)
                    .forEach(table.fileIO()::deleteQuietly);
        }
    }
}

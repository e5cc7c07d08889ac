package io.stele.connector.write;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.metadata.FileChecksums;
import io.stele.columnfile.metadata.FileMetadata;
import io.stele.connector.handle.SteleWriteHandle;
import io.stele.connector.read.file.FileMetadataCache;
import io.stele.connector.sidecar.SidecarFiles;
import io.stele.connector.sidecar.SteleSidecar;
import io.stele.connector.type.TrinoTypes;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.ShardId;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The shared context of the sinks of one write: services, target table and memory limits.
 *
 * @param part the part of the transaction under which this attempt of the writer stages deletions
 * @param firstShard the shard whose turn is first, for tables whose rows may go to any
 * @param sortBufferBytes bytes of rows that are sorted at a time
 * @param maxOpenBytes bytes that the open files of unsorted rows may retain, approximately
 */
record WriteContext(
        SteleSidecar sidecar,
        ObjectStore warehouse,
        FileMetadataCache fileMetadata,
        TrinoTypes types,
        SteleWriteHandle handle,
        UUID part,
        int firstShard,
        long sortBufferBytes,
        long maxOpenBytes) {
    WriteContext {
        requireNonNull(sidecar, "sidecar is null");
        requireNonNull(warehouse, "warehouse is null");
        requireNonNull(fileMetadata, "fileMetadata is null");
        requireNonNull(types, "types is null");
        requireNonNull(handle, "handle is null");
        requireNonNull(part, "part is null");
    }

    TableSchema table() {
        return handle.table();
    }

    List<ColumnSchema> columns() {
        return handle.table().columns();
    }

    FileName newFile(int shard) {
        // By the transaction's id the sidecar finds files that were not committed
        String fileId = handle.transactionId() + "_" + UUID.randomUUID();
        return new FileName(
                table().shard(shard), fileId, handle.dataPrefix() + "/" + shard + "/" + fileId);
    }

    /**
     * Begins a column file of the table's rows.
     *
     * @param stripeBytes as in {@link OrcFileWriter#create}
     */
    OrcFileWriter create(FileName name, int stripeBytes) throws IOException {
        return OrcFileWriter.create(
                warehouse,
                name.orcPath(),
                columns(),
                table().options(),
                types,
                stripeBytes,
                checksums());
    }

    private OrcFileWriter.Checksums checksums() {
        return table().hasPrimaryKey()
                ? OrcFileWriter.Checksums.IN_KEY_INDEX
                : OrcFileWriter.Checksums.BESIDE;
    }

    /** Finishes a file that {@link #create} began, and caches its metadata. */
    OrcFileWriter.Summary finish(FileName name, OrcFileWriter file) throws IOException {
        OrcFileWriter.Summary summary = file.finish();
        keepMetadata(name.orcPath(), summary);
        return summary;
    }

    /** Caches the metadata of a finished file, here and in the sidecar for other nodes. */
    private void keepMetadata(String path, OrcFileWriter.Summary file) throws IOException {
        fileMetadata.written(
                path,
                file.sizeBytes(),
                FileChecksums.decode(
                        path,
                        file.sizeBytes(),
                        FileChecksums.BLOCK_BYTES,
                        WrittenFile.checksumsPath(path),
                        file.checksums()),
                file.metadata());
        if (warehouse.isRemote()) {
            new FileMetadata(file.checksums(), file.metadata())
                    .encode()
                    .ifPresent(encoded -> new SidecarFiles(sidecar).keep(path, encoded));
        }
    }

    /**
     * The name of a new file.
     *
     * @param stem the path without an ending
     */
    record FileName(ShardId shard, String fileId, String stem) {
        String orcPath() {
            return stem + ".orc";
        }

        String keyIndexPath() {
            return WrittenFile.keyIndexPath(orcPath());
        }

        /** All objects that a file of the table may consist of, also one that is not finished. */
        List<String> paths(TableSchema table) {
            List<String> paths = new ArrayList<>();
            paths.add(orcPath());
            paths.add(
                    table.hasPrimaryKey() ? keyIndexPath() : WrittenFile.checksumsPath(orcPath()));
            if (!table.options().bitmapColumns().isEmpty()) {
                paths.add(WrittenFile.bitmapIndexPath(orcPath()));
            }
            return paths;
        }
    }
}

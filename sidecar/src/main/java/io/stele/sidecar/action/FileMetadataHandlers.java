package io.stele.sidecar.action;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.metadata.FileMetadata;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.scan.EncodedFileMetadata;
import io.stele.protocol.api.scan.FileMetadataRequest;
import io.stele.protocol.api.scan.ScanActions;
import io.stele.sidecar.engine.EngineService;
import java.util.List;

/**
 * The Flight actions that read and add the cached metadata of recently written column files, in
 * memory only. Thread-safe.
 */
final class FileMetadataHandlers {
    private static final byte[] NONE = {};

    private final EngineService engine;

    FileMetadataHandlers(EngineService engine) {
        this.engine = requireNonNull(engine, "engine is null");
    }

    List<ActionHandler> handlers() {
        return List.of(
                ActionHandler.of(
                        ScanActions.FILE_METADATA,
                        "Gives the metadata of a column file that was written lately",
                        this::find),
                ActionHandler.of(
                        ScanActions.KEEP_FILE_METADATA,
                        "Keeps the metadata of a column file that the caller wrote",
                        this::keep));
    }

    private EncodedFileMetadata find(FileMetadataRequest request) {
        return new EncodedFileMetadata(
                request.path(), engine.engine().fileMetadata(request.path()).orElse(NONE));
    }

    private Done keep(EncodedFileMetadata metadata) {
        int most = FileMetadata.MAX_BYTES;
        if (metadata.content().length > most) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected at most %d bytes of metadata, found %d for %s"
                            .formatted(most, metadata.content().length, metadata.path()));
        }
        FileMetadata.decode(metadata.path(), metadata.content());
        engine.engine().keepFileMetadata(metadata.path(), metadata.content());
        return Done.DONE;
    }
}

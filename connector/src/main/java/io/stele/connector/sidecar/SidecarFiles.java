package io.stele.connector.sidecar;

import static java.util.Objects.requireNonNull;

import io.airlift.log.Logger;
import io.stele.protocol.api.scan.EncodedFileMetadata;
import io.stele.protocol.api.scan.FileMetadataRequest;
import io.stele.protocol.api.scan.ScanActions;
import io.trino.spi.TrinoException;
import java.util.Optional;

/**
 * A client of the sidecar's in-memory cache of the file metadata of recently written column files.
 * The writer of a file puts its metadata there for the worker that will read the file. Thread-safe.
 */
public final class SidecarFiles {
    private static final Logger log = Logger.get(SidecarFiles.class);

    private final SidecarActions sidecar;

    public SidecarFiles(SidecarActions sidecar) {
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
    }

    /** The encoded metadata of a file; empty if the sidecar does not have it any more. */
    public Optional<byte[]> find(String path) {
        byte[] found =
                sidecar.callNow(ScanActions.FILE_METADATA, new FileMetadataRequest(path)).content();
        return found.length == 0 ? Optional.empty() : Optional.of(found);
    }

    /**
     * Stores the encoded metadata of a file in the sidecar, if it accepts it; a reader can do
     * without.
     */
    public void keep(String path, byte[] encoded) {
        try {
            sidecar.callNow(ScanActions.KEEP_FILE_METADATA, new EncodedFileMetadata(path, encoded));
        } catch (TrinoException refused) {
            log.debug(refused, "Metadata of %s is left to its readers", path);
        }
    }
}

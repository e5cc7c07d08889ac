package io.stele.connector.read.file;

/**
 * An entry of {@link FileMetadataCache} for a column file: its footer, the metadata of a stripe, or
 * the whole content of a small file.
 */
sealed interface CachedFilePart permits FileFooter, FileContent, RawStripeMetadata {
    /** The approximate memory that it holds, in bytes. */
    long retainedBytes();
}

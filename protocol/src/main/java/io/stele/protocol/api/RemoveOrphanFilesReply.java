package io.stele.protocol.api;

/**
 * What was deleted.
 *
 * @param deletedFiles objects: a column file and its key index are two
 */
public record RemoveOrphanFilesReply(long deletedFiles) {}

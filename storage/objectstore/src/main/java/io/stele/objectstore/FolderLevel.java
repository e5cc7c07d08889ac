package io.stele.objectstore;

import java.util.List;

/**
 * The content of one folder, in path order.
 *
 * @param objects those in it, by their whole paths
 * @param folders the names of those in it, each without what is before and behind it
 */
public record FolderLevel(List<ObjectEntry> objects, List<String> folders) {
    /** Of a folder that is empty or not there. */
    public static final FolderLevel EMPTY = new FolderLevel(List.of(), List.of());

    public FolderLevel {
        objects = List.copyOf(objects);
        folders = List.copyOf(folders);
    }
}

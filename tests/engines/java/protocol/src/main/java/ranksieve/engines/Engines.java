package ranksieve.engines;

/** The engines of a module by name. */
public interface Engines {
    /** The engine of this name, or null. */
    Engine get(String name);
}

package ranksieve.engines;

/** An engine that loads the text of a model and gives documents scores. */
public interface Engine {
    /**
     * The model as the engine reads it.
     *
     * @param kind what the name of the engine says after the slash, such as linear
     * @param model the text of the model
     * @param names the features that documents have, in the order of their values
     */
    Scorer load(String kind, String model, String[] names) throws Exception;

    /** The score of one document as the engine would write it; NaN stands for a missing value. */
    interface Scorer {
        String score(double[] values) throws Exception;

        /** The scores of all documents: engines that index them first override this. */
        default String[] scores(double[][] documents) throws Exception {
            String[] scores = new String[documents.length];
            for (int row = 0; row < documents.length; row++) {
                scores[row] = score(documents[row]);
            }
            return scores;
        }
    }
}

import DefaultTheme from "vitepress/theme";
import "./plimsoll.css";

export default DefaultTheme;
